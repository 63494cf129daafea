'use strict';

// Garbage collection in a measurement: forces it before, and tells how much time it took. The
// process needs --expose-gc.

const { PerformanceObserver } = require('node:perf_hooks');
const { setImmediate: immediate } = require('node:timers/promises');

// The second collection frees what a finalizer or a weak reference still held.
function collect() {
  globalThis.gc();
  globalThis.gc();
}

/** Returns what resolves to the entries so far, and begins anew. */
function watchEntries() {
  let entries = [];
  const observer = new PerformanceObserver((list) => entries.push(...list.getEntries()));
  observer.observe({ entryTypes: ['gc'] });
  return {
    async take() {
      // Node delivers the entries in a separate immediate.
      await immediate();
      await immediate();
      const taken = [...entries, ...observer.takeRecords()];
      entries = [];
      return taken;
    },
    end: () => observer.disconnect(),
  };
}

const sumOf = (entries) => entries.reduce((sum, { duration }) => sum + duration, 0);

// Measures the garbage collection during `run()`, which resolves to an object with `start` and
// `end`. Adds the ms of garbage collection between these as `garbage`.
async function watchGarbage(run) {
  const entries = watchEntries();
  try {
    const result = await run();
    const taken = await entries.take();
    const isWithin = ({ startTime }) => startTime >= result.start && startTime <= result.end;
    return { ...result, garbage: sumOf(taken.filter(isWithin)) };
  } finally {
    entries.end();
  }
}

/** Counts the collections: how long they blocked the thread, and the longest. */
function createGarbageCount() {
  const entries = watchEntries();
  return {
    /** Collects all garbage now and restarts the count, so that earlier garbage does not count. */
    async reset() {
      globalThis.gc();
      await entries.take();
    },
    async read() {
      const taken = await entries.take();
      const longest = Math.max(0, ...taken.map(({ duration }) => duration));
      return { count: taken.length, total: sumOf(taken), longest };
    },
  };
}

module.exports = { collect, createGarbageCount, watchGarbage };
