'use strict';

// The Scheduler interface: postTask() and yield() convert their arguments, find the scheduling
// state and queue the task.
// Source: "Scheduling Tasks and Continuations", the Scheduler interface.

const { reasonOfAborted } = require('../signals/abort-source.js');
const { isAborted } = require('../signals/aborted.js');
const { Terms, USUAL_TERMS, fixedQueue, post, postRemovable } = require('../loop/event-loop.js');
const { handledRejection } = require('./handled.js');
const { Promise } = require('../loop/platform.js');
const { shortened } = require('../webidl/label.js');
const { observers } = require('../loop/observers.js');
const {
  AbortableTask, Continuation, KeyedTask, ReportedTask, SchedulerTask,
} = require('./scheduler-task.js');
const {
  OwnStates,
  boundedState,
  contextWith,
  current,
  currentPriorityOf,
  fixedState,
  isFixed,
  priorityOf,
  stateOfContinuation,
  stateOfFlow,
  stateOfPost,
  stateWith,
} = require('./scheduling-state.js');
const webidl = require('../webidl/conversions.js');

const POST_TASK = "'postTask' on 'Scheduler'";
const CALLBACK = new webidl.Parameter(POST_TASK, 'the argument callback');
const POST_TASK_OPTIONS = new webidl.Parameter(POST_TASK, 'the argument options');
const DELAY = new webidl.Parameter(POST_TASK, 'the member delay');
const FAIRNESS_KEY = new webidl.Parameter(POST_TASK, 'the member fairnessKey');
const FAIRNESS_WEIGHT = new webidl.Parameter(POST_TASK, 'the member fairnessWeight');
const LABEL = new webidl.Parameter(POST_TASK, 'the member label');
const MAX_WAIT = new webidl.Parameter(POST_TASK, 'the member maxWait');
const PRIORITY = new webidl.Parameter(POST_TASK, 'the member priority');
const SIGNAL = new webidl.Parameter(POST_TASK, 'the member signal');

const YIELD = "'yield' on 'Scheduler'";
const YIELD_OPTIONS = new webidl.Parameter(YIELD, 'the argument options');
const YIELD_PRIORITY = new webidl.Parameter(YIELD, 'the member priority');
const YIELD_SIGNAL = new webidl.Parameter(YIELD, 'the member signal');

const WAIT = "'wait' on 'Scheduler'";
const WAIT_OPTIONS = new webidl.Parameter(WAIT, 'the argument options');
const WAIT_DELAY = new webidl.Parameter(WAIT, 'the argument delay');
const WAIT_PRIORITY = new webidl.Parameter(WAIT, 'the member priority');
const WAIT_SIGNAL = new webidl.Parameter(WAIT, 'the member signal');

const CONTINUATION_PRIORITIES = [...webidl.PRIORITIES, 'inherit'];

const TOKEN = Symbol('Scheduler');

// Throws if the receiver of an operation is not a Scheduler. Returns its OwnStates.
let check;

class Scheduler {
  // The OwnStates of its tasks, undefined for the first scheduler.
  #owner;

  constructor() {
    if (arguments[0] !== TOKEN) {
      throw webidl.illegalConstructor('Scheduler', 'Use createScheduler().');
    }
    this.#owner = arguments[1];
  }

  postTask(callback, options = undefined) {
    try {
      const owner = check(this, 'postTask');
      webidl.toFunction(callback, CALLBACK);
      return schedulePostTask(callback, webidl.toDictionary(options, POST_TASK_OPTIONS), owner);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  yield(options = undefined) {
    try {
      const owner = check(this, 'yield');
      const dictionary = webidl.toDictionary(options, YIELD_OPTIONS);
      return scheduleContinuation(dictionary, 0, YIELD_PRIORITY, YIELD_SIGNAL, owner);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  wait(delay, options = undefined) {
    try {
      const owner = check(this, 'wait');
      const time = webidl.toRequiredDelay(delay, WAIT_DELAY);
      const dictionary = webidl.toDictionary(options, WAIT_OPTIONS);
      return scheduleContinuation(dictionary, time, WAIT_PRIORITY, WAIT_SIGNAL, owner);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  static {
    check = (receiver, operation) => {
      if (!webidl.isObject(receiver) || !(#owner in receiver)) {
        throw webidl.illegalInvocation(operation, 'Scheduler', receiver);
      }
      return receiver.#owner;
    };
  }
}

webidl.defineInterface(Scheduler, ['postTask', 'yield', 'wait']);

// Schedules a postTask task. `owner` is the OwnStates of the scheduler. A peer is queued among the
// continuations of its priority: see postPeer().
function schedulePostTask(callback, options, owner, isPeer = false) {
  let terms = USUAL_TERMS;
  let label;
  let flow;
  let state;
  if (options !== undefined) {
    const delay = webidl.toDelay(options.delay, DELAY);
    flow = toFlow(options);
    label = webidl.optional(options.label, webidl.toString, LABEL);
    const maxWait = webidl.optional(options.maxWait, webidl.toBound, MAX_WAIT);
    const priority = webidl.optional(options.priority, webidl.toPriority, PRIORITY);
    const isReferenced = webidl.toReferenced(options.ref);
    terms = toTerms(delay, maxWait, isReferenced);
    const signal = webidl.optional(options.signal, webidl.toAbortSignal, SIGNAL);
    if (signal !== undefined && isAborted(signal)) return Promise.reject(reasonOfAborted(signal));
    state = stateWith(signal, priority);
    if (owner !== undefined) state = owner.of(state);
  }
  if (observers.ledger !== undefined) observers.ledger.point(state);
  state = boundedState(stateOfPost(state), terms.maxWait, owner);
  if (flow !== undefined) state = stateOfFlow(state, flow);
  const refusal = observers.drain?.refuses(state, terms.delay);
  if (refusal !== undefined) return handledRejection(refusal);
  const wantsMessage = isWatched();
  const task = createTask(callback, state, wantsMessage, flow !== undefined);
  // Reading a foreign signal can abort the task, which then forgets its promise.
  const { promise } = task;
  if (label !== undefined) task.label = shortened(label);
  if (!terms.isReferenced) task.isReferenced = false;
  enqueue(task, state, isPeer, terms, wantsMessage);
  return promise;
}

// Most posts have the usual terms, and need no object of their own.
function toTerms(delay, maxWait, isReferenced) {
  return delay === 0 && maxWait === undefined && isReferenced
    ? USUAL_TERMS
    : new Terms(delay, maxWait, isReferenced);
}

// The flow of a task with a key.
function toFlow(options) {
  const key = webidl.optional(options.fairnessKey, webidl.toFairnessKey, FAIRNESS_KEY);
  const weight =
    webidl.optional(options.fairnessWeight, webidl.toFairnessWeight, FAIRNESS_WEIGHT);
  webidl.checkWeight(key, weight, FAIRNESS_WEIGHT);
  if (key === undefined) return undefined;
  const { Flow } = require('./flow.js');
  return new Flow(key, weight);
}

function createTask(callback, state, wantsMessage, isKeyed = false) {
  let task;
  const promise = new Promise((resolve, reject) => {
    if (isKeyed) task = new KeyedTask(callback, state, resolve, reject);
    else if (!isFixed(state)) task = new AbortableTask(callback, state, resolve, reject);
    else if (wantsMessage) task = new ReportedTask(callback, state, resolve);
    else task = new SchedulerTask(callback, state, resolve);
  });
  task.promise = promise;
  return task;
}

// Queues a task or a continuation among those of its state. A peer is queued as a continuation.
function enqueue(entry, state, isContinuation, terms, wantsMessage) {
  if (isFixed(state)) {
    const rank = fixedQueue(priorityOf(state), isContinuation);
    post(entry, rank, rank, terms);
  } else if (!schedule(entry, state, isContinuation, terms)) {
    return;
  }
  notePosted(entry, terms, wantsMessage);
}

function notePosted(entry, { delay }, wantsMessage) {
  // Reading a foreign signal can run code that stops watching.
  if (wantsMessage && observers.watch !== undefined) observers.watch.posted(entry, delay);
}

// Selects the scheduler task queue for a state with a signal, and queues the task. Returns false if
// the task was aborted meanwhile.
// Source: "Scheduling Tasks and Continuations", schedule a postTask task, schedule a yield
// continuation.
function schedule(task, state, isContinuation, terms) {
  const { abortSource, flow, slots } = state;
  if (abortSource !== undefined && !abortSource.add(task)) return false;
  const priority = slots === undefined ? state.priority : slots.priority;
  if (flow !== undefined) {
    const queue = flow.queueOf(slots ?? priority, isContinuation);
    queue.post(task, priority, terms);
  } else if (slots !== undefined) {
    slots.queueOf(isContinuation).post(task, priority, terms);
  } else {
    postRemovable(task, fixedQueue(priority, isContinuation), terms);
  }
  if (slots !== undefined) {
    const request = slots.decisive.request ?? state.run?.patientRequest;
    if (request?.isPatient) request.note(task, terms.delay);
  }
  return true;
}

// Posts the task of a shared task's run, which cannot be aborted by a signal. Returns the reason if
// the task is refused.
function postRun(task) {
  const refusal = observers.drain?.refuses(task.state, 0);
  if (refusal !== undefined) return refusal;
  enqueue(task, task.state, false, USUAL_TERMS, isWatched());
  return undefined;
}

// Whether an entry that is posted now needs a message. Begins to watch tasks if so.
function isWatched() {
  if (observers.wantsMessages) return true;
  if (!observers.areSubscribed()) return false;
  if (observers.watch === undefined) observers.watchForSubscribers();
  return true;
}

// Schedules a yield continuation, which is queued when the delay has passed. With any options, it
// has the `maxWait` of its chain.
function scheduleContinuation(options, delay, ofPriority, ofSignal, owner) {
  let isReferenced = true;
  let state = current(owner);
  const maxWait = state?.maxWait;
  if (options !== undefined) {
    const priority = webidl.optional(options.priority, toContinuationPriority, ofPriority);
    isReferenced = webidl.toReferenced(options.ref);
    const signal = webidl.optional(options.signal, toSignalOrInherit, ofSignal);
    const flow = state?.flow;
    if (observers.watch !== undefined) noteOptions(signal, priority, state);
    state = stateOfFlow(stateOfContinuation(signal, priority, state), flow);
  }
  const signal = state?.abortSource?.signal;
  if (signal !== undefined && isAborted(signal)) return Promise.reject(reasonOfAborted(signal));
  if (observers.ledger !== undefined) observers.ledger.point(state);
  return postContinuation(state, toTerms(delay, maxWait, isReferenced));
}

// Reports a continuation that becomes user-visible, because its signal has no priority.
function noteOptions(signal, priority, inherited) {
  if (priority !== undefined || signal === undefined || signal === 'inherit') return;
  const { prioritySlots } = require('../signals/task-signal.js');
  const lost = currentPriorityOf(inherited);
  if (lost !== 'user-visible' && prioritySlots(signal) === undefined) {
    observers.watch.lostPriority(lost);
  }
}

// Without a signal or a message the entry is the promise's own function.
function postContinuation(state, terms) {
  const wantsMessage = isWatched();
  const isBare = !wantsMessage && isFixed(state);
  return new Promise((resolve, reject) => {
    const entry = isBare ? resolve : new Continuation(state, resolve, reject);
    enqueue(entry, state, true, terms, wantsMessage);
  });
}

// Does a yield() for code with this scheduling state, whose signal is not aborted.
function continueAs(state) {
  return postContinuation(state, toTerms(0, state?.maxWait, true));
}

function toContinuationPriority(value, parameter) {
  return webidl.toEnumeration(value, CONTINUATION_PRIORITIES, parameter);
}

function toSignalOrInherit(value, parameter) {
  if (webidl.isAbortSignal(value)) return value;
  if (value !== null && webidl.toString(value, parameter) === 'inherit') return 'inherit';
  throw parameter.error("an AbortSignal or 'inherit'", value);
}

const scheduler = new Scheduler(TOKEN);

// Posts a task with the rank of a continuation, so that started chains do not run before it.
function postPeer(callback, options) {
  return schedulePostTask(callback, options, undefined, true);
}

// Posts a task of the given flow, or of none, regardless of the flow of the posting code.
function postInFlow(callback, priority, label, flow) {
  let state = stateOfPost(fixedState(undefined, priority));
  if (state?.flow !== flow) state = contextWith(state, { flow });
  const refusal = observers.drain?.refuses(state, 0);
  return refusal === undefined
    ? postWithState(callback, state, label).promise
    : handledRejection(refusal);
}

// Posts the task in which a request begins, with the state of the request. It goes where its flow
// does: before requests that have used more. A background one does not wait for an idle loop: it is
// queued as a user-visible task.
function scheduleRequest(callback, state, label = 'request') {
  const isBackground = currentPriorityOf(state) === 'background';
  return postWithState(callback, state, label, isBackground ? postVisible : enqueueUsual);
}

function postVisible(task, { flow }, wantsMessage) {
  flow.queueOf('user-visible', false).post(task, 'user-visible', USUAL_TERMS);
  notePosted(task, USUAL_TERMS, wantsMessage);
}

function postWithState(callback, state, label, queue = enqueueUsual) {
  const wantsMessage = isWatched();
  const task = createTask(callback, state, wantsMessage);
  task.label = label;
  queue(task, state, wantsMessage);
  return task;
}

function enqueueUsual(task, state, wantsMessage) {
  enqueue(task, state, false, USUAL_TERMS, wantsMessage);
}

// Creates a further scheduler on this environment's event loop.
function createScheduler() {
  return new Scheduler(TOKEN, new OwnStates());
}

module.exports = {
  Scheduler,
  continueAs,
  createScheduler,
  postInFlow,
  postPeer,
  postRun,
  scheduleRequest,
  scheduler,
  toContinuationPriority,
};
