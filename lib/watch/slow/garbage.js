'use strict';

// The times of garbage collections, as V8 reports them. Reports are late: the records of all
// collections before a check phase are available when the immediates of that phase run.

const { PerformanceObserver } = require('node:perf_hooks');
const { isSimulated } = require('../../loop/time.js');
const { NANOSECONDS_PER_MILLISECOND } = require('../clock.js');

// The maximum number of collections kept until timeIn() reads them.
const MOST = 10_000;

class Garbage {
  #observer = new PerformanceObserver((list) => this.#add(list.getEntries()));
  #origin;
  // The start and end of each collection in nanoseconds, the oldest first.
  #collections = [];

  // `origin` is the time when `performance.now()` was 0.
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

  // The time of garbage collections in a period. The periods of successive calls are in order. On
  // the clock of a test, collections take no time.
  timeIn(start, end) {
    if (isSimulated()) return 0;
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
