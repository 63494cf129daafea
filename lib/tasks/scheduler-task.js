'use strict';

// The records of tasks and continuations: each starts or is aborted, and settles its promise.
// Source: "Scheduling Tasks and Continuations", schedule a postTask task, schedule a yield
// continuation; the task handle's steps.

const { isPromise } = require('node:util').types;
const { NOT_WAITING, remove } = require('../loop/event-loop.js');
const { markHandled, rejectHandled } = require('./handled.js');
const { Promise, TaskResource, isPlainPromise, then } = require('../loop/platform.js');
const { observers } = require('../loop/observers.js');
const running = require('./running-tasks.js');
const { enter } = require('./scheduling-state.js');
const { isObject } = require('../webidl/conversions.js');

// Resolving a promise with a Rejection rejects the promise immediately with the reason, as reading
// `then` throws.
// Source: ECMAScript, Promise Resolve Functions.
class Rejection {
  #reason;

  constructor(reason) {
    this.#reason = reason;
  }

  get then() {
    throw this.#reason;
  }
}

// Measured, and not done:
// - A promise executor without a closure saves memory and no time.
// - AsyncLocalStorage.snapshot() for the context costs more than the whole task.
// - The callback in a promise reaction would carry the context, but its ticks would run after its
//   microtasks, and a loop that runs inside of it would run no microtasks.
// - With several tasks in one callback scope, the microtasks of one would run after the next one.

// A task that cannot be aborted. It does not keep its promise's `reject` function, which would be
// more than a quarter of the memory of a waiting task.
class SchedulerTask extends TaskResource {
  constructor(callback, state, resolve) {
    super('SchedulerTask');
    this.state = state;
    this.resolve = resolve;
    this.callback = callback;
  }

  start() {
    running.call(this, runCallback);
    this.callback = undefined;
  }

  reject(reason) {
    this.resolve(new Rejection(reason));
  }

  // Called when the promise has settled with this value, or will settle without further steps.
  settle(outcome, value) {
    // Comes first, as the observers may abort the task's signal.
    this.resolve = undefined;
    if (observers.drain !== undefined) observers.drain.settled(this, outcome);
    if (observers.watch !== undefined) observers.watch.settled(this, outcome, value);
    // Before Node 26 an error refers to the receivers of the calls on its stack. An error that was
    // created in the callback must not keep these values alive.
    this.callback = undefined;
    this.state = undefined;
    this.promise = undefined;
  }

  // Rejects the promise before the task has settled it. The task may run, but is not queued.
  giveUp(reason) {
    if (this.resolve === undefined) return;
    this.reject(reason);
    this.settle('aborted', reason);
  }

  // The same, and the rejection counts as handled.
  discard(reason) {
    if (this.resolve !== undefined) markHandled(this.promise);
    this.giveUp(reason);
  }

  // Whether the task keeps the process alive. Programs that list open handles, such as jest, call
  // this.
  hasRef() {
    return this.callback !== undefined && this.isReferenced;
  }
}

// Defined on the prototype so that an assignment never calls an accessor of `Object.prototype`.
// Class fields would be written twice for every task. `isReferenced` says whether the task keeps
// the process alive, and whether onIdle() and drain() wait for it. A task has a message while tasks
// are watched; see watch/message.js. `flow` is the Flow that ends with the task.
for (const [name, value] of Object.entries({
  id: undefined,
  state: undefined,
  resolve: undefined,
  callback: undefined,
  promise: undefined,
  label: undefined,
  message: undefined,
  messageId: undefined,
  flow: undefined,
  isReferenced: true,
  isTask: true,
  isContinuation: false,
})) {
  const absent = { __proto__: null, value, writable: true };
  Object.defineProperty(SchedulerTask.prototype, name, absent);
}

// A task with messages. The fields are reserved in the object: an extra property list created when
// the task starts would outlive the task, as old garbage keeps new garbage alive.
class ReportedTask extends SchedulerTask {
  label = undefined;
  message = undefined;
  messageId = 0;
  // The id of the message about the posting task; see watch/context-watch.js.
  parentId = undefined;
}

// A task with a signal. The event loop sets `id` and `queue`, the abort source sets `previous` and
// `next` until the callback has returned.
class AbortableTask extends SchedulerTask {
  id = NOT_WAITING;
  queue = undefined;
  previous = undefined;
  next = undefined;

  constructor(callback, state, resolve, reject) {
    super(callback, state, resolve);
    // The promise's own reject function is five times as fast as the method, and a signal may abort
    // many tasks at once.
    this.reject = reject;
  }

  settle(outcome, value) {
    super.settle(outcome, value);
    this.reject = undefined;
  }

  // The abort steps. A running task has left its queue: only its promise is rejected.
  abort(reason) {
    remove(this);
    this.giveUp(reason);
  }
}

// A task with a fairness key, which is its own flow.
class KeyedTask extends AbortableTask {
  get flow() {
    return this.state.flow;
  }

  settle(outcome, value) {
    const { flow } = this;
    super.settle(outcome, value);
    flow.end(outcome !== 'aborted');
  }
}

function runCallback() {
  const { callback, state } = this;
  enter(state, this);
  running.carry(this);
  let result;
  let promise;
  try {
    result = isReported(this) ? observers.watch.call(this, callback) : callback();
    // The callback has caused its own task to be rejected.
    if (this.callback === undefined) {
      if (isPromise(result)) ignoreAbort(result, state);
      return;
    }
    if (isObject(result)) promise = toPromise(result);
  } catch (error) {
    if (this.callback !== undefined) fail(this, error);
    return;
  } finally {
    // The task complete steps: from here on, aborting does nothing.
    state?.abortSource?.delete(this);
  }
  if (this.resolve === undefined) return;
  if (promise === undefined) {
    this.resolve(result);
    this.settle('completed', result);
  } else if (result === this.promise) {
    // Rejects it.
    this.resolve(result);
    this.settle('failed', new TypeError('Chaining cycle detected for promise'));
  } else {
    follow(this, promise);
  }
}

// A task that was aborted during its callback does not follow the promise of the callback. This
// promise is mostly rejected by the next yield(), with the abort that the task has already
// reported. Any other error remains an unhandled rejection, of the promise that is derived here.
function ignoreAbort(promise, state) {
  then.call(promise, undefined, (error) => {
    if (!isAbortOfState(state, error)) throw error;
  });
}

function isAbortOfState(state, error) {
  return state?.abortSource?.isAbort(error) || state?.request?.isAbort(error);
}

// Whether the start of an entry is reported. A message can remain from a watcher that has stopped
// since the post.
function isReported(entry) {
  return entry.message !== undefined && observers.watch !== undefined;
}

// A promise that follows a thenable; undefined for other objects. Up to Node 22 the `then` of a
// thenable is called in the async context of the promise that is resolved with the thenable. A
// promise created here has the async context of the task.
function toPromise(result) {
  if (isPlainPromise(result)) return result;
  return 'then' in result ? new Promise((resolve) => resolve(result)) : undefined;
}

// Settles a task when a promise does. Until then the task runs, and can be rejected.
function follow(task, promise) {
  const { resolve } = task;
  const pending = running.add(task, task.flow);
  const fulfilled = (value) => {
    if (task.resolve !== undefined) {
      pending.leave();
      task.settle('completed', value);
    }
    return value;
  };
  const rejected = (error) => {
    if (task.resolve === undefined) return;
    pending.leave();
    fail(task, error);
  };
  // With the promise's own resolve function as a reaction, V8 finds the code that awaits the task,
  // so that stacks of errors show it. The second promise is rejected if the value has become a
  // thenable that throws.
  const unsettled = (error) => resolve(new Rejection(error));
  then.call(then.call(promise, fulfilled, rejected), resolve, unsettled);
}

// If the error is the abort of the signal of the task or its request, the task was aborted.
function fail(task, error) {
  const { state } = task;
  const outcome = isAbortOfState(state, error) ? 'aborted' : 'failed';
  // Reading a foreign signal can run code that rejects the task.
  if (task.resolve === undefined) return;
  task.reject(error);
  task.settle(outcome, error);
}

// A continuation with a signal, or with a message.
class Continuation {
  id = NOT_WAITING;
  queue = undefined;
  previous = undefined;
  next = undefined;
  state;
  resolve;
  reject;
  message = undefined;

  constructor(state, resolve, reject) {
    this.state = state;
    this.resolve = resolve;
    this.reject = reject;
  }

  start() {
    this.state?.abortSource?.delete(this);
    if (isReported(this)) observers.watch.resumed(this);
    this.resolve();
  }

  abort(reason) {
    remove(this);
    this.giveUp(reason);
  }

  giveUp(reason) {
    this.reject(reason);
    if (observers.watch !== undefined) observers.watch.settled(this, 'aborted', reason);
  }

  // See SchedulerTask.
  discard(reason) {
    rejectHandled(() => this.giveUp(reason));
  }
}

Object.defineProperty(Continuation.prototype, 'isContinuation', { __proto__: null, value: true });
// The task of the continuation; set only while tasks are watched.
Object.defineProperty(Continuation.prototype, 'task', {
  __proto__: null,
  value: undefined,
  writable: true,
});
// Members that only other entries have are undefined here, even if `Object.prototype` has such
// names.
Object.setPrototypeOf(Continuation.prototype, null);

module.exports = {
  AbortableTask, Continuation, KeyedTask, Rejection, ReportedTask, SchedulerTask,
};
