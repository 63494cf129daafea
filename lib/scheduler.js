'use strict';

// The Scheduler interface: postTask() and yield(). Owns tasks from the call to the settled promise;
// when a task starts is the event loop's matter.
// Source: "Scheduling Tasks and Continuations", the Scheduler interface.

const { abortSource, reasonOfAborted } = require('./abort-source.js');
const { NOT_WAITING, fixedQueue, postFunction, postTask, remove } = require('./event-loop.js');
const { TaskResource, current, enter, inState, schedulingState } =
  require('./scheduling-state.js');
const { prioritySlots, signalQueue } = require('./task-signal.js');
const webidl = require('./webidl.js');

const POST_TASK = "'postTask' on 'Scheduler'";
const CALLBACK = new webidl.Parameter(POST_TASK, 'the argument callback');
const POST_TASK_OPTIONS = new webidl.Parameter(POST_TASK, 'the argument options');
const DELAY = new webidl.Parameter(POST_TASK, 'the member delay');
const PRIORITY = new webidl.Parameter(POST_TASK, 'the member priority');
const SIGNAL = new webidl.Parameter(POST_TASK, 'the member signal');

const YIELD = "'yield' on 'Scheduler'";
const YIELD_OPTIONS = new webidl.Parameter(YIELD, 'the argument options');
const YIELD_PRIORITY = new webidl.Parameter(YIELD, 'the member priority');
const YIELD_SIGNAL = new webidl.Parameter(YIELD, 'the member signal');

const CONTINUATION_PRIORITIES = [...webidl.PRIORITIES, 'inherit'];

const TOKEN = Symbol('Scheduler');

// Makes a promise that can be settled from outside. One executor for all of them costs less than
// one for each; what it leaves is taken at once, as it would keep the last promise alive.
let resolveNew;
let rejectNew;
function keepSettlers(resolve, reject) {
  resolveNew = resolve;
  rejectNew = reject;
}
function takeResolve() {
  const resolve = resolveNew;
  resolveNew = undefined;
  return resolve;
}
function takeReject() {
  const reject = rejectNew;
  rejectNew = undefined;
  return reject;
}

class Scheduler {
  #isScheduler = true;

  constructor() {
    if (arguments[0] !== TOKEN) throw webidl.illegalConstructor('Scheduler');
  }

  postTask(callback, options = undefined) {
    try {
      Scheduler.#check(this, 'postTask');
      webidl.toFunction(callback, CALLBACK);
      return schedulePostTask(callback, webidl.toDictionary(options, POST_TASK_OPTIONS));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  yield(options = undefined) {
    try {
      Scheduler.#check(this, 'yield');
      return scheduleContinuation(webidl.toDictionary(options, YIELD_OPTIONS));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  static #check(receiver, operation) {
    if (!webidl.isObject(receiver) || !(#isScheduler in receiver)) {
      throw webidl.illegalInvocation(operation, 'Scheduler', receiver);
    }
  }
}

webidl.defineInterface(Scheduler, ['postTask', 'yield']);

// Schedules a postTask task.
function schedulePostTask(callback, options) {
  let delay = 0;
  let state;
  if (options !== undefined) {
    delay = webidl.toDelay(options.delay, DELAY);
    const priority = optional(options.priority, webidl.toPriority, PRIORITY);
    const signal = optional(options.signal, webidl.toAbortSignal, SIGNAL);
    if (signal !== undefined && signal.aborted) return Promise.reject(reasonOfAborted(signal));
    state = stateFromOptions(signal, priority);
  }
  const promise = new Promise(keepSettlers);
  const task = {
    id: NOT_WAITING,
    queue: undefined,
    start: startTask,
    abort: abortTask,
    resolve: takeResolve(),
    reject: takeReject(),
    state,
    callback,
    resource: new TaskResource('SchedulerTask'),
  };
  schedule(task, state, false, delay);
  return promise;
}

// Schedules a yield continuation.
function scheduleContinuation(options) {
  const state = options === undefined ? current() : stateOfContinuation(options);
  const signal = state?.abortSource?.signal;
  if (signal !== undefined && signal.aborted) return Promise.reject(reasonOfAborted(signal));
  const promise = new Promise(keepSettlers);
  if (state === undefined) {
    // Nothing can abort it.
    rejectNew = undefined;
    postFunction(takeResolve(), fixedQueue('user-visible', true));
    return promise;
  }
  const task = {
    id: NOT_WAITING,
    queue: undefined,
    start: startContinuation,
    abort: abortTask,
    resolve: takeResolve(),
    reject: takeReject(),
    state,
  };
  schedule(task, state, true, 0);
  return promise;
}

function optional(value, convert, parameter) {
  return value === undefined ? undefined : convert(value, parameter);
}

function toContinuationPriority(value, parameter) {
  return webidl.toEnumeration(value, CONTINUATION_PRIORITIES, parameter);
}

function toSignalOrInherit(value, parameter) {
  if (webidl.isAbortSignal(value)) return value;
  if (value !== null && webidl.toString(value, parameter) === 'inherit') return 'inherit';
  throw parameter.error("an AbortSignal or 'inherit'", value);
}

// Compute the scheduling state from options, where nothing is inherited.
function stateFromOptions(signal, priority) {
  if (signal === undefined) {
    return schedulingState(undefined, undefined, priority ?? 'user-visible');
  }
  const source = abortSource(signal);
  if (priority !== undefined) return schedulingState(source, undefined, priority);
  const slots = prioritySlots(signal);
  if (slots === undefined) return schedulingState(source, undefined, 'user-visible');
  if (slots.isFixed) return schedulingState(source, undefined, slots.priority);
  return schedulingState(source, signal, undefined);
}

// The state of a continuation that was given options.
function stateOfContinuation(options) {
  const priority = optional(options.priority, toContinuationPriority, YIELD_PRIORITY);
  const signal = optional(options.signal, toSignalOrInherit, YIELD_SIGNAL);
  if (signal === undefined && priority === undefined) return current();
  if (signal === 'inherit' && (priority === undefined || priority === 'inherit')) return current();
  const inherited = signal === 'inherit' || priority === 'inherit' ? current() : undefined;
  if (priority === 'inherit') {
    const source = signal === undefined ? undefined : abortSource(signal);
    const inheritedPriority = inherited?.priority ?? 'user-visible';
    return schedulingState(source, inherited?.prioritySource, inheritedPriority);
  }
  if (signal === 'inherit') return schedulingState(inherited?.abortSource, undefined, priority);
  return stateFromOptions(signal, priority);
}

// Selects the scheduler task queue for the state, and queues the task there.
function schedule(task, state, isContinuation, delay) {
  if (state === undefined) {
    postTask(task, fixedQueue('user-visible', isContinuation), delay);
    return;
  }
  const { abortSource: source, prioritySource, priority } = state;
  if (source !== undefined && !source.add(task)) return;
  if (prioritySource === undefined) {
    postTask(task, fixedQueue(priority, isContinuation), delay);
  } else {
    const queue = signalQueue(prioritySource, isContinuation);
    // From the slots: the attribute can be redefined.
    queue.post(task, prioritySlots(prioritySource).priority, delay);
  }
}

function startTask(task) {
  task.resource.runInAsyncScope(invoke, undefined, task);
}

function invoke(task) {
  enter(task.state);
  const { callback } = task;
  let result;
  try {
    result = callback();
    // An abort in the callback has rejected the promise, and nothing else is to happen.
    if (task.callback === undefined) return;
    result = inState(result);
  } catch (error) {
    task.reject(error);
    return;
  } finally {
    // The task complete steps: aborting does nothing from here on.
    task.state?.abortSource?.delete(task);
  }
  task.resolve(result);
}

function startContinuation(task) {
  task.state?.abortSource?.delete(task);
  task.resolve();
}

// The abort steps. A task that is running has left its queue: only its promise is rejected.
function abortTask(task, reason) {
  remove(task);
  task.callback = undefined;
  task.reject(reason);
}

// A further scheduler on this environment's event loop.
function createScheduler() {
  return new Scheduler(TOKEN);
}

module.exports = { Scheduler, createScheduler };
