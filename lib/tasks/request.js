'use strict';

// A request that uv-scheduler/http admits, as the rest of lib/ sees it: its task, and the states of
// the tasks that it leads to. Knows nothing of HTTP.
//
// Code and tasks of a request inherit its priority. The signal of its client aborts nothing by
// itself: code asks currentTaskSignal() for it. A request runs until its response has finished or
// closed, and drain() lets all its tasks run until then.

const { abortReason, isAborted } = require('../signals/aborted.js');
const { finishRemoval } = require('../loop/event-loop.js');
const { observers } = require('../loop/observers.js');
const { scheduleRequest } = require('./scheduler.js');
const { SchedulingState, copyOf, currentPriorityOf } = require('./scheduling-state.js');

// Stands for the default state, which is undefined, as a key.
const DEFAULT = {};

class Request {
  // The TaskSignal of its client. Its priority is that of the request.
  signal;
  // The state of its listener.
  state;
  // Whether its listener was called and its response has neither finished nor closed.
  isRunning = false;
  // The states of the tasks that it posts, by the state that each would have elsewhere.
  #copies;
  // The task while it is queued.
  #task;

  constructor(signal) {
    this.signal = signal;
    this.state = this.#own(new SchedulingState(undefined, signal, undefined));
  }

  #own(state) {
    state.request = this;
    state.client = this.signal;
    return state;
  }

  get priority() {
    return currentPriorityOf(this.state);
  }

  // The state of a task that the request posts.
  of(state) {
    if (state?.request === this) return state;
    this.#copies ??= new WeakMap();
    const key = state ?? DEFAULT;
    let copy = this.#copies.get(key);
    if (copy === undefined) {
      copy = this.#own(copyOf(state));
      this.#copies.set(key, copy);
    }
    return copy;
  }

  // Posts its task. `callback` is called when the request gets its turn, in the state of the
  // request.
  post(callback) {
    this.#task = scheduleRequest(callback, this.state);
    return this.#task.promise;
  }

  get isPosted() {
    return this.#task !== undefined;
  }

  // Removes the task from its queue, and rejects its promise.
  withdraw(reason) {
    const task = this.#task;
    if (task === undefined) return;
    this.#task = undefined;
    task.abort(reason);
    finishRemoval();
  }

  // The task has started.
  start() {
    this.#task = undefined;
  }

  begin() {
    this.isRunning = true;
  }

  end() {
    if (!this.isRunning) return;
    this.isRunning = false;
    observers.ended?.();
  }

  // Whether this error is the reason why the signal is aborted.
  isReason(error) {
    return isAborted(this.signal) && abortReason(this.signal) === error;
  }
}

module.exports = { Request };
