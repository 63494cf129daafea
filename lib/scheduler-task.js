'use strict';

// The records of tasks and continuations: each starts or is aborted, and settles its promise.
// Source: "Scheduling Tasks and Continuations", schedule a postTask task, schedule a yield
// continuation; the task handle's steps.

const { NOT_WAITING, leaveQueue, remove } = require('./event-loop.js');
const { TaskResource, enter, inState } = require('./scheduling-state.js');

// Resolving a promise with a Rejection rejects it at once with the reason, as reading its `then`
// throws.
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

// A task that cannot be aborted. It does not hold its promise's `reject` function, which would be
// more than a quarter of the memory of a waiting task.
class SchedulerTask extends TaskResource {
  constructor(callback, state, resolve) {
    super('SchedulerTask');
    this.state = state;
    this.resolve = resolve;
    this.callback = callback;
  }

  start() {
    this.runInAsyncScope(runCallback, this);
    // Before Node 26 an error holds the receivers of the calls on its stack. An error that was
    // created in the callback must not keep these values alive.
    this.callback = undefined;
    this.state = undefined;
    this.resolve = undefined;
  }

  reject(reason) {
    this.resolve(new Rejection(reason));
  }

  // Whether it keeps the process alive. Programs that look for open handles, as jest does, ask so.
  hasRef() {
    return this.callback !== undefined;
  }

  // Notes that it does not.
  unref() {
    this.hasRef = () => false;
  }
}

// So that assigning these never meets an accessor of `Object.prototype`. As class fields they would
// be written twice for every task.
for (const name of ['state', 'resolve', 'callback']) {
  const absent = { __proto__: null, value: undefined, writable: true };
  Object.defineProperty(SchedulerTask.prototype, name, absent);
}

// A task with a signal. The event loop sets `id` and `queue`, the abort source sets `previous` and
// `next`.
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

  start() {
    leaveQueue(this);
    super.start();
    this.reject = undefined;
  }

  // The abort steps. A running task has left its queue: only its promise is rejected.
  abort(reason) {
    remove(this);
    this.callback = undefined;
    this.reject(reason);
  }
}

function runCallback() {
  enter(this.state);
  const { callback } = this;
  let result;
  try {
    result = callback();
    // The callback was aborted from inside, which has rejected the promise.
    if (this.callback === undefined) return;
    result = inState(result);
  } catch (error) {
    this.reject(error);
    return;
  } finally {
    // The task complete steps: from here on, aborting does nothing.
    this.state?.abortSource?.delete(this);
  }
  this.resolve(result);
}

// A continuation with a signal.
class Continuation {
  id = NOT_WAITING;
  queue = undefined;
  previous = undefined;
  next = undefined;
  state;
  resolve;
  reject;

  constructor(state, resolve, reject) {
    this.state = state;
    this.resolve = resolve;
    this.reject = reject;
  }

  start() {
    leaveQueue(this);
    this.state.abortSource?.delete(this);
    this.resolve();
  }

  abort(reason) {
    remove(this);
    this.reject(reason);
  }
}

module.exports = { AbortableTask, Continuation, SchedulerTask };
