'use strict';

// The scheduling state: which abort source and which priority source a continuation inherits.
// Owns its way along the chain of a task's own code; knows nothing of queues.
// Source: "Scheduling Tasks and Continuations", scheduling state; event loop's current scheduling
// state.
//
// The state travels in an AsyncLocalStorage. That would also carry it into the timers, immediates,
// events and I/O callbacks that a task starts; those are tasks of their own and have no state, so
// it is dropped where one of them asks for it. In a process that never gives a task a state other
// than the default one the storage is never used: before Node 24 its use slows every promise.

const { AsyncLocalStorage, AsyncResource, executionAsyncId, executionAsyncResource } =
  require('node:async_hooks');
const { isPromise } = require('node:util').types;
const { Promise } = require('./intrinsics.js');
const { isObject } = require('./webidl.js');

// What `async_hooks` sees of a task.
class TaskResource extends AsyncResource {}

// The asynchronous id of a main script.
const TOP_LEVEL = 1;

// Undefined until the first state.
let storage;

// Has either `prioritySource`, a TaskSignal whose priority can change, or a `priority` for good.
class SchedulingState {
  abortSource;
  prioritySource;
  priority;

  constructor(abortSource, prioritySource, priority) {
    this.abortSource = abortSource;
    this.prioritySource = prioritySource;
    this.priority = priority;
  }
}

const FIXED = {
  'user-blocking': new SchedulingState(undefined, undefined, 'user-blocking'),
  // The state of a task that was given nothing is that of code outside any task.
  'user-visible': undefined,
  'background': new SchedulingState(undefined, undefined, 'background'),
};

// The states that one signal aborts: one for each fixed priority, and that whose priority follows
// the signal. Each is made once for all tasks of the signal.
class StatesOfSignal {
  'user-blocking' = undefined;
  'user-visible' = undefined;
  'background' = undefined;
  followed = undefined;
}

// The state of a task with this abort source (an AbortSource or undefined) and fixed priority.
function fixedState(abortSource, priority) {
  if (abortSource === undefined) return FIXED[priority];
  abortSource.states ??= new StatesOfSignal();
  return abortSource.states[priority] ??= new SchedulingState(abortSource, undefined, priority);
}

// The state of a task whose priority follows `prioritySource`.
function followingState(abortSource, prioritySource) {
  if (prioritySource !== abortSource?.signal) {
    return new SchedulingState(abortSource, prioritySource, undefined);
  }
  abortSource.states ??= new StatesOfSignal();
  return abortSource.states.followed ??=
    new SchedulingState(abortSource, prioritySource, undefined);
}

// Whether no signal can abort a task in this state, or change its priority.
function isFixed(state) {
  return state === undefined ||
    (state.abortSource === undefined && state.prioritySource === undefined);
}

// The priority of a state without a priority source.
function priorityOf(state) {
  return state === undefined ? 'user-visible' : state.priority;
}

// Makes `state` the current one, in the async scope of a task that begins.
function enter(state) {
  if (storage === undefined) {
    if (state === undefined) return;
    storage = new AsyncLocalStorage();
  }
  // Nothing leaks out of the scope: `runInAsyncScope` restores what was there.
  if (storage.getStore() !== state) storage.enterWith(state);
}

// The current scheduling state; undefined is the default one.
function current() {
  if (storage === undefined) return undefined;
  const state = storage.getStore();
  if (state === undefined || isOfTask()) return state;
  // The rest of this callback, and what it awaits, has no state either.
  storage.enterWith(undefined);
  return undefined;
}

// Whether the running code belongs to a task's own chain, and not to a callback that it started.
function isOfTask() {
  // Promise reactions have no resource of their own from Node 24 on.
  if (executionAsyncId() === 0) return true;
  const resource = executionAsyncResource();
  if (resource instanceof TaskResource || isPromise(resource)) return true;
  const prototype = Object.getPrototypeOf(resource);
  // The top level, and ticks: plain objects, which ticks carry their callback in. Native addons
  // use plain objects, too.
  if (prototype === Object.prototype || prototype === null) {
    return executionAsyncId() === TOP_LEVEL || hasCallback(resource);
  }
  // queueMicrotask: an AsyncResource that carries its callback.
  return prototype === AsyncResource.prototype && hasCallback(resource);
}

function hasCallback(resource) {
  return Object.hasOwn(resource, 'callback') && typeof resource.callback === 'function';
}

// What a task's promise is resolved with. A thenable's `then` is called later, and must find the
// state of the task; up to Node 22 it runs in the context of the promise that it resolves, which
// was made by the code that posted the task. A promise made here has the right one.
function inState(result) {
  if (storage === undefined || !isObject(result) || result instanceof Promise) return result;
  return 'then' in result ? Promise.resolve(result) : result;
}

module.exports = {
  TaskResource,
  current,
  enter,
  fixedState,
  followingState,
  inState,
  isFixed,
  priorityOf,
};
