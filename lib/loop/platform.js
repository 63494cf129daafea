'use strict';

// Captures at load time the functions that fake timers and APM agents replace at run time. The rest
// of lib/ uses these. No other part of the language is protected.

const { isPromise } = require('node:util').types;

const { Promise, process } = globalThis;
const { then } = Promise.prototype;

// Fake timers can be installed before the package is loaded: jest's with `enableGlobally`, or if a
// test loads the package late. The timers of sinon, which jest and vitest use, keep the original
// functions on their clock, with an underscore before the name.
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

// Whether calling `then` on an object runs no code of the application.
function isPlainPromise(object) {
  return isPromise(object) && object.then === then && object.constructor === Promise;
}

module.exports = { Promise, hrtime, isPlainPromise, nextTick, now, queueMicrotask, then };
