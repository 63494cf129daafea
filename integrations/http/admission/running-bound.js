'use strict';

// The most requests that may run, without a `maxRunning`: the lower one of the bound by the thread
// and the bound by sharing. Both look at the same times.

const { SharingBound } = require('./sharing-bound.js');
const { ThreadBound } = require('./thread-bound.js');

// The time in ms between two steps.
const INTERVAL = 50;

class RunningBound {
  #thread = new ThreadBound();
  #sharing;
  #at = -Infinity;

  constructor(refuseAfter) {
    this.#sharing = new SharingBound(refuseAfter);
  }

  get limit() {
    return Math.min(this.#thread.limit, this.#sharing.limit);
  }

  // A request has started, and its listener has returned after so many milliseconds.
  started(time) {
    this.#thread.started(time);
  }

  // The response of a started visit has ended.
  ended(visit, time) {
    this.#thread.ended(visit);
    this.#sharing.ended(visit, time);
  }

  // Takes a step if the last one is long enough ago.
  step(time, running, waiting) {
    if (time - this.#at < INTERVAL) return;
    const state = { time, before: this.#at, running, waiting };
    this.#at = time;
    this.#thread.step(state);
    this.#sharing.step(state);
  }

  // The number of requests that may start now, and the time from which one may.
  roomToStart(time) {
    return this.#thread.roomToStart(time);
  }

  get nextStart() {
    return this.#thread.nextStart;
  }

  // When a step is possible.
  get next() {
    return this.#at + INTERVAL;
  }
}

module.exports = { RunningBound };
