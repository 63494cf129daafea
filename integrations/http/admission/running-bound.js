'use strict';

// The most requests that may run, without a `maxRunning`: as the bound by the thread and the bounds
// by sharing allow. All look at the same times.

const { SharingBound } = require('./sharing-bound.js');
const { ThreadBound, mostOf } = require('./thread-bound.js');

// The time in ms between two steps.
const INTERVAL = 50;

// The priorities whose requests are judged: background requests end late whenever others run.
const JUDGED = ['user-blocking', 'user-visible'];

class RunningBound {
  #thread = new ThreadBound();
  // By priority.
  #sharing;
  #at = -Infinity;

  constructor(refuseAfter) {
    const [urgent, visible] = JUDGED.map((each) => new SharingBound(each, refuseAfter[each]));
    this.#sharing = { 'user-blocking': urgent, 'user-visible': visible, 'background': visible };
  }

  get isInForce() {
    const { 'user-blocking': urgent, 'user-visible': visible } = this.#sharing;
    return Math.min(this.#thread.limit, urgent.limit, visible.limit) < Infinity;
  }

  // The most requests that may run if one of a priority is to start.
  limitOf(priority) {
    return Math.min(mostOf(priority, this.#thread.limit), this.#sharing[priority].limit);
  }

  // A request has started, and its listener has returned after so many milliseconds.
  started(time) {
    this.#thread.started(time);
  }

  // The response of a started visit has ended.
  ended(visit, time) {
    this.#thread.ended(visit);
    if (JUDGED.includes(visit.priority)) this.#sharing[visit.priority].ended(visit, time);
  }

  // Takes a step if the last one is long enough ago. `runningFrom(priority)` is the number of
  // running requests of a priority and of higher ones.
  step(time, waiting, runningFrom) {
    if (time - this.#at < INTERVAL) return;
    const state = { time, before: this.#at, waiting };
    this.#at = time;
    this.#thread.step({ ...state, running: runningFrom('background') });
    for (const each of JUDGED) this.#sharing[each].step({ ...state, running: runningFrom(each) });
  }

  // The number of requests of a priority that may start. User-blocking ones start at any pace.
  roomFor(priority, time, runningFrom) {
    const room = Math.min(mostOf(priority, this.#thread.limit) - runningFrom('background'),
      this.#sharing[priority].limit - runningFrom(priority));
    return priority === 'user-blocking' ? room : Math.min(room, this.#thread.roomToStart(time));
  }

  // The time from which a request may start.
  get nextStart() {
    return this.#thread.nextStart;
  }

  // When a step is possible.
  get next() {
    return this.#at + INTERVAL;
  }
}

module.exports = { RunningBound };
