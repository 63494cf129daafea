'use strict';

// Captures at load time what fake timers and APM agents replace while a program runs. The rest of
// lib/ takes these from here. No other part of the language is guarded.

const { Promise, process, queueMicrotask } = globalThis;
const { hrtime, nextTick } = process;

// The time in milliseconds by the clock of `performance.now()`, from another origin. Reading the
// global `performance` for the first time takes a megabyte.
function now() {
  const [seconds, nanoseconds] = hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}

module.exports = { Promise, nextTick, now, queueMicrotask };
