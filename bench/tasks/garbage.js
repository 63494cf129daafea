'use strict';

// Forces garbage collection before a measurement, and tells how much time it took meanwhile. The
// process needs --expose-gc.

const { PerformanceObserver } = require('node:perf_hooks');
const { setImmediate: immediate } = require('node:timers/promises');

// The second collection frees what a finalizer or a weak reference still held.
function collect() {
  globalThis.gc();
  globalThis.gc();
}

// Measures the garbage collection during `run()`, which resolves to an object with `start` and
// `end`. Adds the ms of garbage collection between these as `garbage`.
async function watchGarbage(run) {
  const entries = [];
  const observer = new PerformanceObserver((list) => entries.push(...list.getEntries()));
  observer.observe({ entryTypes: ['gc'] });
  try {
    const result = await run();
    // Node delivers the entries in a separate immediate.
    await immediate();
    await immediate();
    entries.push(...observer.takeRecords());
    const within = entries.filter(({ startTime }) => {
      return startTime >= result.start && startTime <= result.end;
    });
    return { ...result, garbage: within.reduce((sum, { duration }) => sum + duration, 0) };
  } finally {
    observer.disconnect();
  }
}

module.exports = { collect, watchGarbage };
