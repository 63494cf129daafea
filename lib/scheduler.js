'use strict';

// The Scheduler interface: postTask() and yield() convert their arguments, find the scheduling
// state and queue the task.
// Source: "Scheduling Tasks and Continuations", the Scheduler interface.

const { abortSource, isAborted, reasonOfAborted } = require('./abort-source.js');
const { fixedQueue, postRemovable, postTask } = require('./event-loop.js');
const { Promise } = require('./intrinsics.js');
const { AbortableTask, Continuation, SchedulerTask } = require('./scheduler-task.js');
const { current, fixedState, followingState, isFixed, priorityOf } =
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
    if (signal !== undefined && isAborted(signal)) {
      return Promise.reject(reasonOfAborted(signal));
    }
    state = stateFromOptions(signal, priority);
  }
  return new Promise((resolve, reject) => {
    if (isFixed(state)) {
      const task = new SchedulerTask(callback, state, resolve);
      postTask(task, fixedQueue(priorityOf(state), false), delay);
    } else {
      schedule(new AbortableTask(callback, state, resolve, reject), state, false, delay);
    }
  });
}

// Schedules a yield continuation.
function scheduleContinuation(options) {
  const state = options === undefined ? current() : stateOfContinuation(options);
  const signal = state?.abortSource?.signal;
  if (signal !== undefined && isAborted(signal)) return Promise.reject(reasonOfAborted(signal));
  return new Promise((resolve, reject) => {
    if (isFixed(state)) {
      postTask(resolve, fixedQueue(priorityOf(state), true), 0);
    } else {
      schedule(new Continuation(state, resolve, reject), state, true, 0);
    }
  });
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

// Computes the scheduling state from options that inherit nothing.
function stateFromOptions(signal, priority) {
  if (signal === undefined) return fixedState(undefined, priority ?? 'user-visible');
  const source = abortSource(signal);
  if (priority !== undefined) return fixedState(source, priority);
  const slots = prioritySlots(signal);
  if (slots === undefined) return fixedState(source, 'user-visible');
  if (slots.isFixed) return fixedState(source, slots.priority);
  return followingState(source, signal);
}

// Computes the scheduling state of a continuation from its options.
function stateOfContinuation(options) {
  const priority = optional(options.priority, toContinuationPriority, YIELD_PRIORITY);
  const signal = optional(options.signal, toSignalOrInherit, YIELD_SIGNAL);
  if (signal === undefined && priority === undefined) return current();
  if (signal === 'inherit' && (priority === undefined || priority === 'inherit')) return current();
  const inherited = signal === 'inherit' || priority === 'inherit' ? current() : undefined;
  if (priority === 'inherit') {
    const source = signal === undefined ? undefined : abortSource(signal);
    const prioritySource = inherited?.prioritySource;
    if (prioritySource !== undefined) return followingState(source, prioritySource);
    return fixedState(source, priorityOf(inherited));
  }
  if (signal === 'inherit') return fixedState(inherited?.abortSource, priority);
  return stateFromOptions(signal, priority);
}

// Selects the scheduler task queue for a state with a signal, and queues the task in it.
function schedule(task, state, isContinuation, delay) {
  const { abortSource: source, prioritySource, priority } = state;
  if (source !== undefined && !source.add(task)) return;
  if (prioritySource === undefined) {
    postRemovable(task, fixedQueue(priority, isContinuation), delay);
  } else {
    const queue = signalQueue(prioritySource, isContinuation);
    // Not the attribute, which can be redefined.
    queue.post(task, prioritySlots(prioritySource).priority, delay);
  }
}

// Creates a scheduler on this environment's event loop.
function createScheduler() {
  return new Scheduler(TOKEN);
}

module.exports = { Scheduler, createScheduler };
