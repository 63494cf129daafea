'use strict';

// Whether the heap of this thread, after the last full collection, exceeds a part of its limit.
// Where most requests are refused, little is allocated, so that no collection comes: the heap is
// then read as it is, and one request in a second goes on.

const { PerformanceObserver, constants } = require('node:perf_hooks');
const { getHeapStatistics } = require('node:v8');

const { NODE_PERFORMANCE_GC_MAJOR: MAJOR } = constants;

// In ms.
const APART = 1000;

let observer;
let part = 0;

const readPart = () => {
  const { heap_size_limit: limit, used_heap_size: used } = getHeapStatistics();
  return used / limit;
};

function observe() {
  observer ??= new PerformanceObserver((list) => {
    if (list.getEntries().some(({ detail }) => detail.kind === MAJOR)) part = readPart();
  });
  observer.observe({ entryTypes: ['gc'] });
}

class HeapLimit {
  #most;
  #passedAt = -Infinity;

  constructor(most) {
    this.#most = most;
    if (most < 1) observe();
  }

  isExceeded(now) {
    if (part <= this.#most) return false;
    part = Math.min(part, readPart());
    if (part <= this.#most) return false;
    if (now - this.#passedAt < APART) return true;
    this.#passedAt = now;
    return false;
  }
}

module.exports = { HeapLimit };
