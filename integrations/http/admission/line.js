'use strict';

// The queue of the requests of one priority and key, the oldest first. Knows the pace at which its
// requests start, and the time for which its started requests have run.

const { Ring, unlink } = require('../../internal.js');

// The pace halves its history when it covers more than this many ms.
const MEMORY = 1000;

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
  // The time in ms for which requests have run, per weight, and the time until which it is known.
  #used;
  #since;

  constructor(key, used, now) {
    this.key = key;
    this.#used = used;
    this.#since = now;
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
    this.#used += (this.running / this.weight) * (now - this.#since);
    this.#since = now;
  }

  // The used time if each running and each posted request ran for a time in ms from now on.
  usedAfter(time, now) {
    const used = this.running * (now - this.#since + time) + this.posted * time;
    return this.#used + used / this.weight;
  }
}

module.exports = { Line, Pace };
