'use strict';

// Captures at load time what fake timers and APM agents replace while a program runs. The rest of
// lib/ takes these from here. No other part of the language is guarded.

const { Promise, process } = globalThis;

// Fake timers can be installed before the package is loaded: jest's with `enableGlobally`, or if a
// test loads the package late. Those of sinon, which jest and vitest use, keep what they have
// replaced on their clock, under its name with an underscore.
function original(replaced, name) {
  const kept = replaced.clock?.[`_${name}`];
  return typeof kept === 'function' ? kept : replaced;
}

const nextTick = original(process.nextTick, 'nextTick');
const queueMicrotask = original(globalThis.queueMicrotask, 'queueMicrotask');
const hrtime = original(process.hrtime, 'hrtime');

// The time in milliseconds by the clock of `performance.now()`, from another origin. Reading the
// global `performance` for the first time takes a megabyte.
function now() {
  const [seconds, nanoseconds] = hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}

module.exports = { Promise, nextTick, now, queueMicrotask };
