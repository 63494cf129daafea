'use strict';

// Tasks and continuations: what happens to one from when it starts, or is aborted, to the settled
// promise. Owns their records; knows nothing of options, and of queues only how to leave them.
// Source: "Scheduling Tasks and Continuations", schedule a postTask task, schedule a yield
// continuation; the task handle's steps.

const { NOT_WAITING, leaveQueue, remove } = require('./event-loop.js');
const { TaskResource, enter, inState } = require('./scheduling-state.js');

// What rejects a promise that is resolved with it, at once and with any reason: that is what
// becomes of a promise when the `then` of its value cannot be read.
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

// A task that runs whatever happens. It does without its promise's `reject` function, which would
// be more than a quarter of the memory of a task that waits.
class SchedulerTask extends TaskResource {
  constructor(callback, state, resolve) {
    super('SchedulerTask');
    this.state = state;
    this.resolve = resolve;
    this.callback = callback;
  }

  start() {
    this.runInAsyncScope(runCallback, this);
    // Before Node 26 an error holds the receivers of the calls on its stack. One that was made in
    // the callback, and is kept, is not to keep what the task had.
    this.callback = undefined;
    this.state = undefined;
    this.resolve = undefined;
  }

  reject(reason) {
    this.resolve(new Rejection(reason));
  }
}

// So that assigning these never meets an accessor of `Object.prototype`. As class fields they would
// be written twice for every task.
for (const name of ['state', 'resolve', 'callback']) {
  const absent = { __proto__: null, value: undefined, writable: true };
  Object.defineProperty(SchedulerTask.prototype, name, absent);
}

// A task with a signal. `id` and `queue` belong to the event loop; `previous` and `next` to the
// abort source.
class AbortableTask extends SchedulerTask {
  id = NOT_WAITING;
  queue = undefined;
  previous = undefined;
  next = undefined;

  constructor(callback, state, resolve, reject) {
    super(callback, state, resolve);
    // That of the promise takes a fifth of the time of the method, and signals abort many at once.
    this.reject = reject;
  }

  start() {
    leaveQueue(this);
    super.start();
    this.reject = undefined;
  }

  // The abort steps. A task that is running has left its queue: only its promise is rejected.
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
    // An abort in the callback has rejected the promise, and nothing else is to happen.
    if (this.callback === undefined) return;
    result = inState(result);
  } catch (error) {
    this.reject(error);
    return;
  } finally {
    // The task complete steps: aborting does nothing from here on.
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
