'use strict';

// When garbage was collected, as V8 tells of it. It tells late: of what it has collected up to a
// check phase, the records are there when the immediates of this phase run.

const { PerformanceObserver } = require('node:perf_hooks');
const { NANOSECONDS_PER_MILLISECOND } = require('../clock.js');

// How many collections are kept that nobody has asked for.
const MOST = 10_000;

class Garbage {
  #observer = new PerformanceObserver((list) => this.#add(list.getEntries()));
  #origin;
  // The oldest first: start and end of each, in nanoseconds.
  #collections = [];

  // `origin`: when `performance.now()` was 0.
  constructor(origin) {
    this.#origin = origin;
    this.#observer.observe({ entryTypes: ['gc'] });
  }

  #add(records) {
    for (const { startTime, duration } of records) {
      const start = this.#origin + startTime * NANOSECONDS_PER_MILLISECOND;
      this.#collections.push({ start, end: start + duration * NANOSECONDS_PER_MILLISECOND });
    }
    if (this.#collections.length > MOST) this.#collections.splice(0, MOST / 2);
  }

  // How long garbage was collected in a time. The times that are asked for follow each other.
  timeIn(start, end) {
    this.#add(this.#observer.takeRecords());
    let time = 0;
    let past = 0;
    for (const collection of this.#collections) {
      if (collection.start >= end) break;
      time += Math.max(0, Math.min(end, collection.end) - Math.max(start, collection.start));
      if (collection.end <= end) past++;
    }
    this.#collections.splice(0, past);
    return time;
  }

  stop() {
    this.#observer.disconnect();
  }
}

module.exports = { Garbage };
