'use strict';

// The queue of the requests of one priority and key, the oldest first. Knows the pace at which its
// requests start, and the time that its started requests have used.

const { Ring, unlink } = require('../../internal.js');

// The pace halves its history when it covers more than this many ms.
const MEMORY = 1000;

// The thread time in ms that a request is expected to take before any has ended.
const FIRST = 5;

// The default bound is at least so many times the thread time of a request of the key, up to a
// longest one in ms: where requests take long, some wait long below the capacity.
const TIMES = 10;
const LONGEST_BOUND = 1000;

// The part of the last request in a mean.
const PART_OF_LAST = 0.125;

const SECOND = 1000;

// The recent time between two starts while requests wait.
class Pace {
  // The recent time in which requests waited, and the number of starts in it.
  #time = 0;
  #started = 0;
  // The time of the last start, or of the first arrival after a time without waiting requests.
  mark = 0;

  // A request starts.
  note(now) {
    this.#time += now - this.mark;
    this.#started++;
    this.mark = now;
    if (this.#time <= MEMORY) return;
    // Reduces the weight of old starts, without changing the mean.
    const part = MEMORY / 2 / this.#time;
    this.#time *= part;
    this.#started *= part;
  }

  // undefined before the first start.
  get mean() {
    return this.#started > 0 ? this.#time / this.#started : undefined;
  }
}

// Sets `line` and `arrivedAt` of its visits.
class Line {
  key;
  size = 0;
  weight = 1;
  pace = new Pace();
  // The number of posted visits. These are the oldest, unless one has had its turn in vain.
  posted = 0;
  // The number of started requests that use its share.
  running = 0;
  // The place among the lines of the same size.
  previous = undefined;
  next = undefined;
  // The place in the heap of the lines that may start next, and what decides it: the least rank
  // goes first, then the line that has waited longest.
  place = -1;
  rank = 0;
  order = 0;
  #visits = new Ring();
  // The means of the thread time of its requests, of its square, and of the time for which one
  // runs. undefined before the first one has ended.
  mean;
  square;
  duration;
  // The time in ms that requests have used, per weight. Of time in progress, until #since.
  #used;
  #since;
  // Whether requests use the time in progress, and not thread time.
  #countsProgress;
  // The thread time by which its running requests are expected to use more.
  #ahead = 0;

  constructor(key, used, now, countsProgress) {
    this.key = key;
    this.#used = used;
    this.#since = now;
    this.#countsProgress = countsProgress;
  }

  get used() {
    return this.#used;
  }

  // The time that the request takes which another one finds under way: long ones are so more often.
  get typical() {
    return this.mean > 0 ? this.square / this.mean : 0;
  }

  // The oldest visit that is not posted.
  get unposted() {
    if (this.size === this.posted) return undefined;
    let visit = this.#visits.next;
    while (visit.isPosted) visit = visit.next;
    return visit;
  }

  get newest() {
    return this.size === 0 ? undefined : this.#visits.previous;
  }

  add(visit, now) {
    if (this.size === 0) this.pace.mark = now;
    visit.line = this;
    visit.arrivedAt = now;
    this.#visits.push(visit);
    this.size++;
  }

  remove(visit) {
    unlink(visit);
    visit.line = undefined;
    this.size--;
  }

  // Nothing is saved up: a line that has not waited starts at the time of the others.
  catchUp(used, now) {
    this.#settle(now);
    this.#used = Math.max(this.#used, used);
  }

  setWeight(weight, now) {
    this.#settle(now);
    this.weight = weight;
  }

  run(change, now) {
    this.#settle(now);
    this.running += change;
  }

  #settle(now) {
    if (this.#countsProgress) this.#used += (this.running / this.weight) * (now - this.#since);
    this.#since = now;
  }

  // A request has started. It is expected to take so many ms of thread time if none of the line has
  // ended. One that runs for longer than a second is expected to take the time of a second.
  expect(visit, time) {
    const { mean = time, duration = 0 } = this;
    visit.ahead = mean * Math.min(1, SECOND / duration);
    this.#ahead += visit.ahead;
  }

  // A running request has used the thread for so many ms.
  charge(visit, time) {
    if (!this.#countsProgress) this.#used += time / this.weight;
    this.#forget(visit, Math.min(time, visit.ahead));
  }

  // A running request takes no more time than so far.
  forget(visit) {
    this.#forget(visit, visit.ahead);
  }

  // A request has used the thread for so many ms, and has run for `ran` ms.
  learn(time, ran) {
    const { mean = time, square = time ** 2, duration = ran } = this;
    this.duration = duration + (ran - duration) * PART_OF_LAST;
    this.mean = mean + (time - mean) * PART_OF_LAST;
    this.square = square + (time ** 2 - square) * PART_OF_LAST;
  }

  #forget(visit, time) {
    visit.ahead -= time;
    this.#ahead -= time;
  }

  // The used time if each posted request took a time in ms, and each running one took that time
  // from now on, or the thread time that is expected.
  usedAfter(time, now, posted = this.posted) {
    const running = this.#countsProgress
      ? this.running * (now - this.#since + time)
      : Math.max(this.#ahead, 0);
    return this.#used + (running + posted * time) / this.weight;
  }
}

module.exports = { FIRST, LONGEST_BOUND, Line, PART_OF_LAST, Pace, TIMES };
