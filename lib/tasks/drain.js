'use strict';

// drain(): lets important tasks finish and rejects the others, before the process shuts down. At
// most one drain is under way; later calls join it. Its rejections count as handled: background
// work that is not awaited must not crash a process that is sending its last pages.

const { abortSource, reasonOfAborted } = require('../signals/abort-source.js');
const { isAborted } = require('../signals/aborted.js');
const {
  Internal,
  finishRemoval,
  fixedQueue,
  remove,
  visitWaiting,
  withdraw,
} = require('../loop/event-loop.js');
const { rejectHandled } = require('./handled.js');
const { cancelAll } = require('./idle-callbacks.js');
const { Promise } = require('../loop/platform.js');
const { observers } = require('../loop/observers.js');
const { now } = require('../loop/time.js');
const { refuseRequests } = require('./intakes.js');
const { IdleWaiter } = require('./on-idle.js');
const running = require('./running-tasks.js');
const { Rejection, SchedulerTask } = require('./scheduler-task.js');
const { currentPriorityOf } = require('./scheduling-state.js');
const webidl = require('../webidl/conversions.js');

const OPTIONS = new webidl.Parameter("'drain'", 'the argument options');
const MEMBERS = {
  keep: webidl.toPriority,
  signal: webidl.toAbortSignal,
  timeout: webidl.toTimeout,
};

// The state of the drain() under way, kept in `observers.drain`. The code of tasks and requests
// reports their ends and changes of priority to it, and asks it before it queues another one.
class Draining {
  // Tasks below this rank are rejected.
  #rank = 0;
  #tooLow;
  #tooLate = abortError('drain() does not wait for delayed tasks');
  #deadline = Infinity;
  #timer;
  #subscriptions = [];
  #askers = new Set();
  #counts = { completed: zeros(), failed: zeros(), aborted: zeros() };
  #waiter;
  // The started requests whose tasks would be refused otherwise, and the runs that they await.
  #spared = new WeakSet();
  #areRunsSpared = false;
  #isOver = false;
  #resolve;
  #reject;

  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  // Applies the options of a call as far as they are stricter than earlier ones. If the signal
  // throws, throws before any change.
  join({ keep = 'user-visible', timeout = Infinity, signal }) {
    if (signal !== undefined) {
      const cancel = (reason) => this.#cancel(reason);
      this.#subscriptions.push(abortSource(signal).subscribe(cancel));
    }
    if (this.#isOver) return;
    this.#setTimeout(timeout);
    if (observers.drain === undefined) this.#start();
    const asker = running.currentTask();
    if (asker !== undefined) this.#askers.add(asker);
    this.#waiter.exclude(asker);
    if (fixedQueue(keep, false) > this.#rank) {
      this.#rank = fixedQueue(keep, false);
      this.#tooLow = abortError(`drain() runs no tasks below the priority '${keep}'`);
      this.#rejectRefused();
    }
    this.#waiter.begin();
  }

  #start() {
    observers.drain = this;
    running.keep();
    this.#waiter = new IdleWaiter(() => this.finish());
  }

  // Rejects the waiting tasks and requests that the drain refuses.
  #rejectRefused() {
    cancelAll();
    refuseRequests();
    visitWaiting((entry, rank, isDelayed, id) => {
      if (!(entry instanceof SchedulerTask)) return;
      const reason = this.#reasonToRefuse(rank, isDelayed);
      if (reason === undefined || this.#spare(entry.state)) return;
      discard(entry, reason, rank, id);
    });
    finishRemoval();
  }

  // Spares a task that would be refused if it belongs to a started request, or is awaited by one.
  // Such a task runs at any priority: no response may end in the middle. Returns whether it does.
  #spare(state) {
    const request = state?.request;
    if (request !== undefined) {
      if (request.isRunning) this.#spared.add(request);
      return request.isRunning;
    }
    const isAwaited = state?.run?.isOfRequest === true;
    if (isAwaited) this.#areRunsSpared = true;
    return isAwaited;
  }

  // Whether a request that has not started is refused. If its task is posted, that task is counted
  // when it settles.
  refusesRequest(priority, isPosted) {
    if (fixedQueue(priority, false) >= this.#rank) return false;
    if (!isPosted) this.#counts.aborted[priority]++;
    return true;
  }

  // The reason why a task that is about to be posted is refused; undefined if it is not.
  refuses(state, delay) {
    const priority = currentPriorityOf(state);
    const reason = this.#reasonToRefuse(fixedQueue(priority, false), delay > 0);
    if (reason === undefined || this.#spare(state)) return undefined;
    this.#counts.aborted[priority]++;
    return reason;
  }

  #reasonToRefuse(rank, isDelayed) {
    if (rank < this.#rank) return this.#tooLow;
    return isDelayed ? this.#tooLate : undefined;
  }

  // The outcome of a task is 'completed', 'failed' or 'aborted'.
  settled(task, outcome) {
    if (this.#askers.has(task)) return;
    this.#counts[outcome][currentPriorityOf(task.state)]++;
  }

  // The response of a started request has finished or closed. Looks at all that waits only if tasks
  // of this request may be refused now: thousands of pages may end meanwhile.
  ended(request) {
    if (this.#areRunsSpared || this.#spared.has(request)) this.#rejectRefused();
  }

  // Tasks of a signal have been moved to this rank.
  lowered(rank) {
    if (rank < this.#rank) this.#rejectRefused();
  }

  #setTimeout(timeout) {
    const deadline = now() + timeout;
    if (deadline >= this.#deadline) return;
    this.#deadline = deadline;
    this.#stopTimer();
    this.#timer = new Internal(() => this.#expire(timeout));
    this.#timer.post(fixedQueue('user-blocking', true), timeout, true);
  }

  #stopTimer() {
    if (this.#timer === undefined) return;
    remove(this.#timer);
    finishRemoval();
  }

  // Rejects all tasks that have not settled.
  #expire(timeout) {
    const message = `drain() timed out after ${timeout} ms`;
    const reason = new DOMException(message, 'TimeoutError');
    this.#rank = Infinity;
    refuseRequests();
    visitWaiting((entry, rank, isDelayed, id) => {
      if (!(entry instanceof Internal)) discard(entry, reason, rank, id);
    });
    finishRemoval();
    running.discard(this.#askers, reason);
    this.finish();
  }

  finish() {
    this.#end();
    this.#resolve(this.#counts);
  }

  #cancel(reason) {
    this.#end();
    this.#reject(reason);
  }

  #end() {
    this.#isOver = true;
    if (observers.drain === this) {
      observers.drain = undefined;
      running.letGo();
      this.#waiter.end();
      this.#stopTimer();
    }
    for (const subscription of this.#subscriptions) subscription.end();
  }
}

function zeros() {
  return { 'user-blocking': 0, 'user-visible': 0, 'background': 0 };
}

function abortError(message) {
  return new DOMException(message, 'AbortError');
}

// Removes a task or continuation that waits with this rank and id, and rejects its promise.
function discard(entry, reason, rank, id) {
  withdraw(entry, id);
  rejectRemoved(entry, reason, rank);
}

// Rejects the promise of a task or continuation that has waited with this rank.
function rejectRemoved(entry, reason, rank) {
  const source = entry.state?.abortSource;
  if (source !== undefined && isAborted(source.signal)) {
    // The signal is being aborted: all its tasks get the reason of the signal.
    source.abort();
    return;
  }
  if (typeof entry === 'function') {
    rejectHandled(() => entry(new Rejection(reason)));
    if (observers.watch !== undefined) observers.watch.abortedWaiting(rank);
  } else {
    source?.delete(entry);
    entry.discard(reason);
  }
}

function drain(options = undefined) {
  try {
    const settings = webidl.readOptions(options, OPTIONS, MEMBERS);
    const { signal } = settings;
    if (signal !== undefined && isAborted(signal)) return Promise.reject(reasonOfAborted(signal));
    const joined = observers.drain ?? new Draining();
    joined.join(settings);
    return joined.promise;
  } catch (error) {
    return Promise.reject(error);
  }
}

const isDraining = () => observers.drain !== undefined;

// Ends the drain under way, if there is one, as its event loop ends.
const endDrain = () => observers.drain?.finish();

module.exports = { drain, endDrain, isDraining, rejectRemoved };
