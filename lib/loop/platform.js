'use strict';

// The parts of a host in which hosts differ, or which programs replace: ticks, async ids,
// environment variables. The rest of lib/ uses these, and time.js for clocks and timers.
//
// The functions that fake timers and APM agents replace at run time are captured when the package
// loads. No other part of the language is protected.

const { AsyncResource } = require('node:async_hooks');
const { isPromise } = require('node:util').types;
const { denoCore, original, runTicksOfNode } = require('../loading/undocumented.js');

const { Promise, process } = globalThis;
const { then } = Promise.prototype;

const nextTick = original(process.nextTick, 'nextTick');
const queueMicrotask = original(globalThis.queueMicrotask, 'queueMicrotask');

// Bun and Deno have no libuv loop, and their async ids are 0 in most callbacks.
const FOREIGN = { bun: 'Bun', deno: 'Deno' };

// The name of a host that runs programs of Node and is not Node; undefined in Node.
const foreign = Object.keys(FOREIGN).find((name) => process.versions[name] !== undefined);
const foreignName = FOREIGN[foreign];
const hasAsyncIds = foreign === undefined;

// Before Node 24, a hook of `async_hooks` sees the reactions of all promises.
const hooksSeePromises = hasAsyncIds && Number.parseInt(process.versions.node, 10) < 24;

const { getAsyncContext, runNextTicks, setAsyncContext } = foreign === 'deno' ? denoCore() : {};

// Does the part of an AsyncResource that a task needs. Deno registers each AsyncResource for
// finalization, so that a task would take three times as long.
class ContextResource {
  #context = getAsyncContext();

  runInAsyncScope(callback, receiver, ...args) {
    const outer = getAsyncContext();
    try {
      setAsyncContext(this.#context);
      return callback.call(receiver, ...args);
    } finally {
      setAsyncContext(outer);
    }
  }
}

// The resource that `async_hooks` sees of a task, except on Deno. Making one takes 15 ns, and
// running in it 80 to 100; `AsyncLocalStorage.snapshot()` takes 600 and more.
const TaskResource = getAsyncContext === undefined
  ? class TaskResource extends AsyncResource {}
  : ContextResource;

// Runs all ticks and microtasks in the callback of an immediate, as Deno does between two, in a
// third of the time that waiting for them takes. Returns whether they have run. Bun's function
// runs microtasks before ticks, so it does not serve.
function runTicks() {
  runNextTicks?.();
  return runNextTicks !== undefined;
}

// The same in a callback of Node.
const runTicksInCallback = () => runTicksOfNode(nextTick, queueMicrotask);

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
  TaskResource,
  environmentVariable,
  foreignName,
  hasAsyncIds,
  hooksSeePromises,
  isInTask,
  isPlainPromise,
  nextTick,
  queueMicrotask,
  runTicks,
  runTicksInCallback,
  setIsInTask,
  then,
};
