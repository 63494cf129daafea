'use strict';

// Garbage collection: forces it before something is measured, and tells how much time it took in
// between. The process has --expose-gc.

const { PerformanceObserver } = require('node:perf_hooks');
const { setImmediate: immediate } = require('node:timers/promises');

// What a finalizer or a weak reference still held is free after the second time.
function collect() {
  globalThis.gc();
  globalThis.gc();
}

// Watches what `run()` spends in garbage collection. It resolves to an object with `start` and
// `end`, to which the ms within are added as `garbage`.
async function watchGarbage(run) {
  const entries = [];
  const observer = new PerformanceObserver((list) => entries.push(...list.getEntries()));
  observer.observe({ entryTypes: ['gc'] });
  try {
    const result = await run();
    // Entries come in an immediate of their own.
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
