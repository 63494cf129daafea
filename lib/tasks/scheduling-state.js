'use strict';

// The scheduling state: the abort source and the priority source that a continuation inherits, and
// how it comes from a signal and a priority.
// Source: "Scheduling Tasks and Continuations", scheduling state; event loop's current scheduling
// state; schedule a postTask task, schedule a yield continuation.
//
// An AsyncLocalStorage carries the state along the chain of a task's own code. It would also carry
// it into the timers, immediates, events and I/O callbacks that a task starts. Those are tasks of
// their own without a state, so ofChain() drops the state there. What it drops is still carried
// on: code that a host such as React calls from immediates of its own asks carried() for the state
// of the task in which its work was started. Within a request that uv-scheduler/http has admitted,
// such a callback has the state of the request instead of none, as body parsers call the rest of a
// listener's code from I/O callbacks. Before Node 24 using the storage slows every promise, so the
// first task whose state is not the default creates it.
//
// A chain has a state for the scheduler that began it, and none for any other. That of a shared
// task's run belongs to no scheduler, and all of them have it.

const { AsyncLocalStorage, AsyncResource, executionAsyncId, executionAsyncResource } =
  require('node:async_hooks');
const { isPromise } = require('node:util').types;
const { abortSource: abortSourceOf } = require('../signals/abort-source.js');

// What `async_hooks` sees of a task.
class TaskResource extends AsyncResource {}

// The async id of the main script.
const TOP_LEVEL = 1;

// Undefined until a task has a state other than the default.
let storage;

// How many states there have been.
let states = 0;

// Has either a `prioritySource`, a TaskSignal whose priority can change, or a fixed `priority`.
class SchedulingState {
  abortSource;
  prioritySource;
  // The slots of the priority source.
  slots;
  priority;
  // The OwnStates of its scheduler; undefined for the environment's `scheduler`.
  owner = undefined;
  // The DroppedState of this one, once it was dropped.
  dropped = undefined;
  // The Request that the task belongs to; see request.js.
  request = undefined;
  // The signal that code is told about which asks for one, where no abort source is inherited.
  client = undefined;
  // The Run of a shared task whose code has it.
  run = undefined;
  // The bound of its task on its wait and that of each of its continuations, in milliseconds.
  maxWait = undefined;
  // The Flow that it belongs to; see flow.js.
  flow;
  // What tells it from all others, and does not keep it in memory.
  number = ++states;

  constructor(abortSource, prioritySource, priority) {
    this.abortSource = abortSource;
    this.prioritySource = prioritySource;
    this.slots = prioritySource === undefined ? undefined : slotsOf(prioritySource);
    this.priority = priority;
    const slots = this.slots ?? (abortSource && slotsOf(abortSource.signal));
    this.flow = slots?.decisive.flow;
  }
}

// The slots of a TaskSignal; undefined for other signals. Most programs start without a signal, so
// the module is loaded with the first one.
function slotsOf(signal) {
  return require('../signals/task-signal.js').prioritySlots(signal);
}

// A state of its own with what another one has. The default state is undefined.
function copyOf(state) {
  if (state === undefined) return new SchedulingState(undefined, undefined, 'user-visible');
  const copy = new SchedulingState(state.abortSource, state.prioritySource, state.priority);
  copy.owner = state.owner;
  copy.request = state.request;
  copy.client = state.client;
  copy.maxWait = state.maxWait;
  copy.flow = state.flow;
  return copy;
}

// The state of a task, or of what it leads to, that belongs to a flow; the same without one.
function stateOfFlow(state, flow) {
  if (flow === undefined || state?.flow === flow) return state;
  const copy = copyOf(state);
  copy.flow = flow;
  return copy;
}

// The state of a task of a scheduler with this bound of its own; the same if there is none.
function boundedState(state, maxWait, owner) {
  if (maxWait === undefined) return state;
  const copy = copyOf(state);
  copy.maxWait = maxWait;
  // The default state has no owner.
  copy.owner = owner;
  return copy;
}

// Stands in the storage for a state that does not count any more.
class DroppedState {
  state;

  constructor(state) {
    this.state = state;
  }
}

const FIXED = {
  'user-blocking': new SchedulingState(undefined, undefined, 'user-blocking'),
  // The default state, which is also that of code outside any task.
  'user-visible': undefined,
  'background': new SchedulingState(undefined, undefined, 'background'),
};

// The states whose abort source is one signal: one for each fixed priority, and one whose priority
// follows the signal. All tasks of the signal share them.
class StatesOfSignal {
  'user-blocking' = undefined;
  'user-visible' = undefined;
  'background' = undefined;
  followed = undefined;
}

// The state with this abort source (an AbortSource or undefined) and fixed priority.
function fixedState(abortSource, priority) {
  if (abortSource === undefined) return FIXED[priority];
  abortSource.states ??= new StatesOfSignal();
  return abortSource.states[priority] ??= new SchedulingState(abortSource, undefined, priority);
}

// The state with this abort source and a priority that follows `prioritySource`.
function followingState(abortSource, prioritySource) {
  if (prioritySource !== abortSource?.signal) {
    return new SchedulingState(abortSource, prioritySource, undefined);
  }
  abortSource.states ??= new StatesOfSignal();
  return abortSource.states.followed ??=
    new SchedulingState(abortSource, prioritySource, undefined);
}

// Computes the scheduling state from a signal and a priority, of which each can be undefined.
function stateWith(signal, priority) {
  if (signal === undefined) return fixedState(undefined, priority ?? 'user-visible');
  const abortSource = abortSourceOf(signal);
  if (priority !== undefined) return fixedState(abortSource, priority);
  const slots = slotsOf(signal);
  if (slots === undefined) return fixedState(abortSource, 'user-visible');
  return slots.isFixed
    ? fixedState(abortSource, slots.priority)
    : followingState(abortSource, signal);
}

// Computes the scheduling state of a continuation. Each of `signal` and `priority` may be 'inherit'
// or undefined. `inherited` is the current state.
function stateOfContinuation(signal, priority, inherited) {
  if (signal === undefined && priority === undefined) return inherited;
  if (signal !== 'inherit' && priority !== 'inherit') return stateWith(signal, priority);
  if (priority === 'inherit' && signal !== 'inherit') {
    const abortSource = signal === undefined ? undefined : abortSourceOf(signal);
    const prioritySource = inherited?.prioritySource;
    if (prioritySource !== undefined) return followingState(abortSource, prioritySource);
    return fixedState(abortSource, priorityOf(inherited));
  }
  if (priority === undefined || priority === 'inherit') return inherited;
  return fixedState(inherited?.abortSource, priority);
}

// The same for pieces(), which inherits what is not given. A TaskSignal brings its priority along,
// and a priority of 'inherit' alone means as with yield() that no signal is inherited.
function stateOfPieces(signal, priority, inherited) {
  if (signal === undefined) {
    const inheritsSignal = priority !== 'inherit';
    return stateOfContinuation(inheritsSignal ? 'inherit' : undefined, priority, inherited);
  }
  const hasPriority = priority !== undefined || slotsOf(signal) !== undefined;
  return stateOfContinuation(signal, hasPriority ? priority : 'inherit', inherited);
}

// The states of the tasks of a scheduler that createScheduler() made. They are copies, as all
// schedulers share the other states here.
class OwnStates {
  #copies = new WeakMap();

  of(state) {
    if (state === undefined) return undefined;
    let copy = this.#copies.get(state);
    if (copy === undefined) {
      copy = copyOf(state);
      copy.owner = this;
      this.#copies.set(state, copy);
    }
    return copy;
  }
}

// Whether there may be requests.
let areRequests = false;

function expectRequests() {
  areRequests = true;
}

// The state of a task that is posted now: the same, or its copy for the request that posts it.
function stateOfPost(state) {
  const request = areRequests ? carried()?.request : undefined;
  return request === undefined ? state : request.of(state);
}

// Whether a task with this state is in a queue of a fixed priority and remains there: no signal can
// abort it or change its priority, and it belongs to no flow.
function isFixed(state) {
  return state === undefined ||
    (state.abortSource === undefined && state.prioritySource === undefined &&
      state.flow === undefined);
}

// The priority of a state without a priority source.
function priorityOf(state) {
  return state === undefined ? 'user-visible' : state.priority;
}

// The priority of a state. That of a priority source can change.
function currentPriorityOf(state) {
  // Not the attribute of the signal, which can be redefined.
  return state?.slots === undefined ? priorityOf(state) : state.slots.priority;
}

// Makes `state` current in the async scope of a task that starts.
function enter(state) {
  if (storage === undefined) {
    if (state === undefined) return;
    storage = new AsyncLocalStorage();
  }
  // The state does not leak: `runInAsyncScope` restores the previous one.
  if (storage.getStore() !== state) storage.enterWith(state);
}

// The current scheduling state of a scheduler, which its OwnStates stands for; undefined for the
// default.
function current(owner) {
  const state = ofChain();
  if (state === undefined || state.owner === owner) return state;
  return state.run === undefined ? undefined : state;
}

// The current scheduling state of the scheduler that began the chain.
function ofChain() {
  if (storage === undefined) return undefined;
  const state = storage.getStore();
  if (state === undefined) return undefined;
  if (state instanceof DroppedState) return undefined;
  const ofRequest = state.request?.state;
  if (ofRequest === state || isOfTask()) return state;
  // For the rest of this callback and what follows its awaits.
  storage.enterWith(ofRequest ?? (state.dropped ??= new DroppedState(state)));
  return ofRequest;
}

// The signal that aborts the code that asks. Unlike an abort source, that of a client rejects
// nothing by itself.
function currentTaskSignal() {
  return signalOf(ofChain());
}

function signalOf(state) {
  return state?.abortSource?.signal ?? state?.client;
}

// What the running code carries along: a state, or a DroppedState.
function stored() {
  return storage?.getStore();
}

// The number of the state that the running code carries along; 0 for the default, and for a state
// that was dropped.
function numberOfStored() {
  return storage?.getStore()?.number ?? 0;
}

// The state of the task in which the work was started that the running code belongs to, through
// whatever callbacks it came here; undefined for the default.
function carried() {
  const state = storage?.getStore();
  return state instanceof DroppedState ? state.state : state;
}

// Whether the running code belongs to a task's own chain, not to a callback that the task started.
function isOfTask() {
  // From Node 24 on, promise reactions have no resource of their own.
  if (executionAsyncId() === 0) return true;
  const resource = executionAsyncResource();
  if (resource instanceof TaskResource || isPromise(resource)) return true;
  const prototype = Object.getPrototypeOf(resource);
  // The resource of the top level and of ticks is a plain object, with the callback of a tick in
  // it. Native addons use plain objects, too.
  if (prototype === Object.prototype || prototype === null) {
    return executionAsyncId() === TOP_LEVEL || hasCallback(resource);
  }
  // The resource of queueMicrotask() is an AsyncResource with the callback in it.
  return prototype === AsyncResource.prototype && hasCallback(resource);
}

function hasCallback(resource) {
  return Object.hasOwn(resource, 'callback') && typeof resource.callback === 'function';
}

module.exports = {
  OwnStates,
  TaskResource,
  boundedState,
  carried,
  copyOf,
  current,
  currentPriorityOf,
  currentTaskSignal,
  enter,
  expectRequests,
  fixedState,
  followingState,
  isFixed,
  isOfTask,
  numberOfStored,
  ofChain,
  priorityOf,
  signalOf,
  stateOfContinuation,
  stateOfFlow,
  stateOfPieces,
  stateOfPost,
  stateWith,
  stored,
};
