'use strict';

// As many requests run as keep the thread busy. The scheduler orders the time of tasks and their
// continuations: a new request can overtake them. All other callbacks run in the order of the loop,
// such as what a request computes behind the `await` of a query. If these take all of the thread's
// time, requests that have started only wait for each other, and more of them should wait in the
// queues, by priority, where they can be refused. Where the bottleneck is elsewhere, for example in
// a database, the thread has idle time, and there is no bound.
//
// The bound falls by steps while other callbacks take all of the time, and grows while requests
// wait and there is other time. Limits by latency, such as those of Netflix's concurrency-limits,
// would also bound requests that wait for something else.

const { performance } = require('node:perf_hooks');

const api = require('../../../index.js');

const { taskTime } = api[Symbol.for('uv-scheduler.requests')];

// The time in ms between two steps.
const INTERVAL = 50;

// Less free time than the first share is none; from the second one on the bound grows.
const BUSY = 0.01;
const FREE = 0.03;

const FALL = 0.8;
const GROWTH = 0.1;

class ThreadBound {
  // The most requests that may run.
  limit = Infinity;
  #at = -Infinity;
  #active = 0;
  #idle = 0;
  #inTasks = 0;

  // Takes a step if the last one is long enough ago. Returns whether the bound has grown.
  step(time, running, waiting) {
    if (time - this.#at < INTERVAL) return false;
    const isFirst = this.#at === -Infinity;
    this.#at = time;
    const free = this.#measure();
    if (isFirst) return false;
    if (free < BUSY) {
      this.limit = Math.max(1, Math.floor(Math.min(this.limit, running) * FALL));
      return false;
    }
    if (free < FREE || this.limit === Infinity) return false;
    if (waiting === 0) this.limit *= 2;
    else this.limit = Math.max(this.limit, running) + Math.ceil(this.limit * GROWTH);
    if (this.limit > 1e4) this.limit = Infinity;
    return true;
  }

  // When a step is possible.
  get next() {
    return this.#at + INTERVAL;
  }

  // The share of the time since the last call that callbacks other than tasks did not take.
  #measure() {
    const { active, idle } = performance.eventLoopUtilization();
    const inTasks = taskTime();
    const all = active - this.#active + idle - this.#idle;
    const free = idle - this.#idle + inTasks - this.#inTasks;
    [this.#active, this.#idle, this.#inTasks] = [active, idle, inTasks];
    return all > 0 ? free / all : 1;
  }
}

module.exports = { ThreadBound };
