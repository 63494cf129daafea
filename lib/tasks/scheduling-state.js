'use strict';

// The scheduling state: the abort source and the priority source that a continuation inherits, and
// how the state is computed from a signal and a priority.
// Source: "Scheduling Tasks and Continuations", scheduling state; event loop's current scheduling
// state; schedule a postTask task, schedule a yield continuation.
//
// An AsyncLocalStorage carries the state along the chain of a task's own code, but also into the
// timers, immediates, events and I/O callbacks that a task starts. These callbacks have no state,
// so ofChain() drops the state there. A dropped state is still available by carried(), for code
// that a host such as React calls from its own immediates. Within a request that uv-scheduler/http
// has admitted, such callbacks have the state of the request, as body parsers call the rest of a
// listener's code from I/O callbacks. Before Node 24 the storage slows every promise, so it is
// created by the first task whose state is not the default.
//
// A chain has a state only for the scheduler that began the chain. The state of a shared task's run
// applies to all schedulers.

const { AsyncLocalStorage, executionAsyncId, executionAsyncResource } =
  require('node:async_hooks');
const { isPromise } = require('node:util').types;
const { isResourceOfChain, learnResources } = require('../loading/undocumented.js');
const { TaskResource, hasAsyncIds, isInTask, nextTick, queueMicrotask } =
  require('../loop/platform.js');
const { observers } = require('../loop/observers.js');
const { abortSource: abortSourceOf } = require('../signals/abort-source.js');

// The async id of the main script. From Node 24 on, reactions of promises have the id 0.
const TOP_LEVEL = 1;

// Undefined until a task has a context other than the default.
let storage;

let hasLearned = !hasAsyncIds;

// The stored value where the host has no async ids: a context, and the task for which it was
// entered.
class Ticket {
  state;
  task;

  constructor(state, task) {
    this.state = state;
    this.task = task;
  }
}

// The number of contexts created so far.
let contexts = 0;

// The scheduling state of the specification, which never changes and is never copied. Has either
// `slots`, the PrioritySlots of a TaskSignal whose priority can change, or a fixed `priority`.
class SchedulingState {
  abortSource;
  slots;
  priority;
  // The TaskSignal with the slots, or undefined if that of a request has none yet.
  #prioritySource;

  constructor(abortSource, prioritySource, priority, slots = undefined) {
    this.abortSource = abortSource;
    this.#prioritySource = prioritySource;
    this.slots = prioritySource === undefined ? slots : slotsOf(prioritySource);
    this.priority = priority;
  }

  // The TaskSignal whose priority it follows, if any.
  get prioritySource() {
    return this.#prioritySource ?? this.slots?.request.signal;
  }

  // The flow of the signal that decides the priority, else of the one that aborts.
  get flow() {
    const deciding = this.slots ?? (this.abortSource && slotsOf(this.abortSource.signal));
    return deciding?.decisive.flow;
  }
}

// A context, which code and its tasks inherit: a scheduling state with the values that this package
// adds. The default context is undefined. Outside of this class, a variable `state` is a context.
class Context {
  state;
  // The OwnStates of its scheduler; undefined for the environment's `scheduler`.
  owner = undefined;
  // The DroppedState of this context, once it was dropped.
  dropped = undefined;
  // The Request that the task belongs to; see request.js.
  request = undefined;
  // The request that an admission observes, in the context of its code.
  observed = undefined;
  // The signal that currentTaskSignal() returns if there is no abort source, nor a request.
  client = undefined;
  // The Run of a shared task, in the context of its code.
  run = undefined;
  // The `maxWait` of the task and of each of its continuations, in milliseconds.
  maxWait = undefined;
  // The Flow of the task; see flow.js.
  flow;
  // Identifies the context without keeping it in memory.
  number = ++contexts;

  constructor(state, flow) {
    this.state = state;
    this.flow = flow;
  }

  get abortSource() {
    return this.state.abortSource;
  }

  get slots() {
    return this.state.slots;
  }

  get priority() {
    return this.state.priority;
  }

  get prioritySource() {
    return this.state.prioritySource;
  }
}

// The context of a new scheduling state.
function contextOf(abortSource, prioritySource, priority, slots = undefined) {
  const state = new SchedulingState(abortSource, prioritySource, priority, slots);
  return new Context(state, state.flow);
}

// A context with the state and the values of another one, of which `values` replaces some. `run`
// and `observed` are not inherited: only the code of a run and of an observed request has them.
function contextWith(context, values) {
  const { state, owner, request, client, maxWait, flow } = context ?? FIXED_VISIBLE;
  return Object.assign(new Context(state, flow), { owner, request, client, maxWait }, values);
}

// The slots of a TaskSignal; undefined for other signals. Most programs start without a signal, so
// the module is loaded with the first one.
function slotsOf(signal) {
  return require('../signals/task-signal.js').prioritySlots(signal);
}

// The context with this flow; the same context if there is no flow.
function stateOfFlow(state, flow) {
  return flow === undefined || state?.flow === flow ? state : contextWith(state, { flow });
}

// The context with this `maxWait` for the scheduler with this owner, as the default context has no
// owner; the same context without a bound.
function boundedState(state, maxWait, owner) {
  return maxWait === undefined ? state : contextWith(state, { maxWait, owner });
}

// Stands in the storage for a state that no longer applies.
class DroppedState {
  state;

  constructor(state) {
    this.state = state;
  }
}

const FIXED = {
  'user-blocking': contextOf(undefined, undefined, 'user-blocking'),
  // The default context, also of code outside of tasks.
  'user-visible': undefined,
  'background': contextOf(undefined, undefined, 'background'),
};

// Stands for the default context where one is made of it.
const FIXED_VISIBLE = contextOf(undefined, undefined, 'user-visible');

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
  return abortSource.states[priority] ??= contextOf(abortSource, undefined, priority);
}

// The state with this abort source and a priority that follows `prioritySource`.
function followingState(abortSource, prioritySource) {
  if (prioritySource !== abortSource?.signal) {
    return contextOf(abortSource, prioritySource, undefined);
  }
  abortSource.states ??= new StatesOfSignal();
  return abortSource.states.followed ??= contextOf(abortSource, prioritySource, undefined);
}

// The state that follows the slots of a request, whose signal is made when code asks for it.
const stateOfSlots = (slots) => contextOf(undefined, undefined, undefined, slots);

// Computes the scheduling state from a signal and a priority, both optional.
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

// The same for pieces(), which inherits each option that is not given. A TaskSignal includes its
// priority. As with yield(), a priority of 'inherit' without a signal inherits no signal.
function stateOfPieces(signal, priority, inherited) {
  if (signal === undefined) {
    const inheritsSignal = priority !== 'inherit';
    return stateOfContinuation(inheritsSignal ? 'inherit' : undefined, priority, inherited);
  }
  const hasPriority = priority !== undefined || slotsOf(signal) !== undefined;
  return stateOfContinuation(signal, hasPriority ? priority : 'inherit', inherited);
}

// The contexts of a scheduler that createScheduler() has created. All others are shared.
class OwnStates {
  #copies = new WeakMap();

  of(state) {
    if (state === undefined) return undefined;
    let copy = this.#copies.get(state);
    if (copy === undefined) {
      copy = contextWith(state, { owner: this });
      this.#copies.set(state, copy);
    }
    return copy;
  }
}

// Whether the program has an admission, so that tasks can belong to requests.
let areRequests = false;

function expectRequests() {
  areRequests = true;
}

// The state of a task that is posted now: the given one, or its copy for the posting request.
function stateOfPost(state) {
  const request = areRequests ? carried()?.request : undefined;
  return request === undefined ? state : request.of(state);
}

// Whether a task with this state stays in a queue of a fixed priority: no signal can abort the task
// or change its priority, and it belongs to no flow.
function isFixed(state) {
  return state === undefined ||
    (state.abortSource === undefined && state.slots === undefined && state.flow === undefined);
}

// The priority of a state without a priority source.
function priorityOf(state) {
  return state === undefined ? 'user-visible' : state.priority;
}

// The current priority of a state, which a priority source can change.
function currentPriorityOf(state) {
  // Not the signal's attribute, which can be redefined.
  return state?.slots === undefined ? priorityOf(state) : state.slots.priority;
}

// Makes `state` current in the async scope of a task that starts.
function enter(state, task = undefined) {
  if (storage === undefined) {
    if (state === undefined) return;
    storage = new AsyncLocalStorage();
  }
  // The state does not leak: `runInAsyncScope` restores the previous one. `run()` would take 175 ns
  // more, `enterWith()` takes 70.
  if (storage.getStore() === state) return;
  storage.enterWith(hasAsyncIds || state === undefined ? state : new Ticket(state, task));
  learn();
}

// Calls a function whose code, and what it leads to, is that of an observed request. The state says
// nothing else, so the code runs as without one.
function inObserved(observed, callback) {
  if (carried() !== undefined) return callback();
  storage ??= new AsyncLocalStorage();
  learn();
  const state = contextWith(undefined, { observed });
  return storage.run(hasAsyncIds ? state : new Ticket(state), callback);
}

// Prepares isOfTask(). Called in a task when an AsyncLocalStorage has a value, as Node makes other
// resources without one. The ticks and microtasks that ask run before those of the task.
function learn() {
  if (hasLearned) return;
  hasLearned = true;
  learnResources(nextTick, queueMicrotask);
}

// The stored value for the running code: a state, or a DroppedState.
function stored() {
  const value = storage?.getStore();
  return value instanceof Ticket ? value.state : value;
}

// The current scheduling state of the scheduler with this OwnStates; undefined for the default.
function current(owner) {
  const state = ofChain();
  if (state === undefined || state.owner === owner) return state;
  return state.run === undefined ? undefined : state;
}

// The current scheduling state of the scheduler that began the chain.
function ofChain() {
  if (storage === undefined) return undefined;
  const state = stored();
  if (state === undefined) return undefined;
  if (state instanceof DroppedState) return undefined;
  const ofRequest = state.request?.state;
  if (ofRequest === state || isOfTask()) return state;
  // Applies to the rest of this callback and to the code after its awaits.
  storage.enterWith(ofRequest ?? (state.dropped ??= new DroppedState(state)));
  return ofRequest;
}

// The signal that aborts the calling code. Unlike an abort source, the signal of a client does not
// reject promises.
function currentTaskSignal() {
  if (observers.ledger !== undefined) observers.ledger.point();
  return signalOf(ofChain());
}

function signalOf(state) {
  return state?.abortSource?.signal ?? state?.client ?? state?.request?.signal;
}

// The number of the stored state; 0 for the default and for a dropped state.
function numberOfStored() {
  return stored()?.number ?? 0;
}

// The state of the task that started the work of the running code, through any callbacks; undefined
// for the default.
function carried() {
  const state = stored();
  return state instanceof DroppedState ? state.state : state;
}

// Whether the running code belongs to a task's own chain, not to a callback that the task started.
// `task` is the task that an AsyncLocalStorage carries, if known.
function isOfTask(task = undefined) {
  if (!hasAsyncIds) return isInTask() || isRunning(task ?? carriedTask());
  const id = executionAsyncId();
  if (id <= TOP_LEVEL) return true;
  const resource = executionAsyncResource();
  if (resource instanceof TaskResource || isPromise(resource)) return true;
  return isResourceOfChain(resource, id);
}

// Without async ids, a callback that a task has started looks like the task's own code behind an
// `await`. Until the task settles, the callback counts as such code, and not after that.
function isRunning(task) {
  return task?.resolve !== undefined;
}

function carriedTask() {
  const ticket = storage?.getStore();
  return ticket instanceof Ticket ? ticket.task : undefined;
}

module.exports = {
  OwnStates,
  boundedState,
  carried,
  contextWith,
  current,
  currentPriorityOf,
  currentTaskSignal,
  enter,
  expectRequests,
  fixedState,
  followingState,
  inObserved,
  isFixed,
  isOfTask,
  learn,
  numberOfStored,
  ofChain,
  priorityOf,
  signalOf,
  stateOfContinuation,
  stateOfFlow,
  stateOfPieces,
  stateOfPost,
  stateOfSlots,
  stateWith,
  stored,
};
