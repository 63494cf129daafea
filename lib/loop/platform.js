'use strict';

// The parts of a host in which hosts differ, or which programs replace: ticks, clocks, async ids,
// environment variables. The rest of lib/ uses these.
//
// The functions that fake timers and APM agents replace at run time are captured when the package
// loads. No other part of the language is protected.

const { isPromise } = require('node:util').types;

const { Promise, process } = globalThis;
const { then } = Promise.prototype;

// The host's own function, also if fake timers were installed before the package was loaded: jest's
// with `enableGlobally`, or if a test loads the package late. The timers of sinon, which jest and
// vitest use, keep the original functions on their clock, with an underscore before the name.
function original(replaced, name) {
  const kept = replaced.clock?.[`_${name}`];
  return typeof kept === 'function' ? kept : replaced;
}

const nextTick = original(process.nextTick, 'nextTick');
const queueMicrotask = original(globalThis.queueMicrotask, 'queueMicrotask');
const hostHrtime = original(process.hrtime, 'hrtime');

// Bun and Deno have no libuv loop, and their async ids are 0 in most callbacks.
const FOREIGN = { bun: 'Bun', deno: 'Deno' };

// The name of a host that runs programs of Node and is not Node; undefined in Node.
const foreign = Object.keys(FOREIGN).find((name) => process.versions[name] !== undefined);
const foreignName = FOREIGN[foreign];
const hasAsyncIds = foreign === undefined;

const performanceNow = hasAsyncIds ? undefined : performance.now.bind(performance);

// The functions with which Deno's AsyncResource reads and sets the async context; undefined on
// other hosts, and if a version of Deno has none. They are no public interface. But Deno registers
// each AsyncResource for finalization, so that a task would take three times as long, and it has no
// other way to keep a context.
function findContext() {
  if (foreign !== 'deno') return undefined;
  const { Deno } = globalThis;
  const { getAsyncContext: get, setAsyncContext: set } = Deno?.[Deno.internal]?.core ?? {};
  return typeof get === 'function' && typeof set === 'function' ? { get, set } : undefined;
}

const context = findContext();

// Reads the time of setClock() instead of the host's clock.
let clock;

// The time as `process.hrtime()` returns it.
function hrtime() {
  return clock === undefined ? hostHrtime() : [0, clock()];
}

// The time in milliseconds by the clock of `performance.now()`, from another origin. Reading the
// global `performance` for the first time takes a megabyte.
function now() {
  const [seconds, nanoseconds] = hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}

// The time of the host in nanoseconds by the clock of hrtime(). Outside of Node,
// `performance.now()` takes less time than hrtime(), whose result is an array.
const readNanoseconds = hasAsyncIds ? readTime : readPerformance;

function readTime() {
  const [seconds, nanoseconds] = hostHrtime();
  return seconds * 1e9 + nanoseconds;
}

function readPerformance() {
  return Math.round(performanceNow() * 1e6);
}

// Makes hrtime() and now() read another clock, whose `read()` returns nanoseconds; undefined
// restores the host's own.
function setClock(read) {
  clock = read;
}

// Whether calling `then` on an object runs no code of the application.
function isPlainPromise(object) {
  return isPromise(object) && object.then === then && object.constructor === Promise;
}

// Whether a task is under way that the portable host has started: its callback, or the ticks and
// microtasks after it.
let isTaskUnderWay = false;

function setIsInTask(isInTask) {
  isTaskUnderWay = isInTask;
}

const isInTask = () => isTaskUnderWay;

// The value of an environment variable. Deno throws if it does not permit the reading: the variable
// then counts as unset.
function environmentVariable(name) {
  try {
    return process.env[name];
  } catch {
    return undefined;
  }
}

module.exports = {
  Promise,
  context,
  environmentVariable,
  foreignName,
  hasAsyncIds,
  hrtime,
  isInTask,
  isPlainPromise,
  nextTick,
  now,
  original,
  queueMicrotask,
  readNanoseconds,
  setClock,
  setIsInTask,
  then,
};
