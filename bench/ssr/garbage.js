'use strict';

// Measures the garbage collections in its process: how long they held the thread, and the longest.

const { PerformanceObserver } = require('node:perf_hooks');

function createGarbageCount() {
  let count = 0;
  let total = 0;
  let longest = 0;
  const take = (entries) => {
    for (const { duration } of entries) {
      count += 1;
      total += duration;
      longest = Math.max(longest, duration);
    }
  };
  const observer = new PerformanceObserver((list) => take(list.getEntries()));
  observer.observe({ entryTypes: ['gc'] });
  const settle = async () => {
    // Node delivers the entries in an immediate.
    await new Promise((resolve) => setImmediate(resolve));
    take(observer.takeRecords());
  };
  return {
    /** Collects all garbage now and restarts the count, so that earlier garbage does not count. */
    async reset() {
      globalThis.gc();
      await settle();
      count = total = longest = 0;
    },
    async read() {
      await settle();
      return { count, total, longest };
    },
  };
}

module.exports = { createGarbageCount };
