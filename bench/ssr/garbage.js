'use strict';

// Owns the count of garbage collections in its process: how long they held the thread, and the
// longest of them. Does not know whose garbage it was.

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
    // Entries are handed over in an immediate.
    await new Promise((resolve) => setImmediate(resolve));
    take(observer.takeRecords());
  };
  return {
    /** Collects everything now and begins anew, so that what was before costs nobody. */
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
