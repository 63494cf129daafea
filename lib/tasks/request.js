'use strict';

// A request that uv-scheduler/http admits, as the rest of lib/ sees it: its task, and the states of
// the tasks that it posts. Knows nothing of HTTP.
//
// Code and tasks of a request inherit its priority. The signal of its client does not abort tasks:
// code gets it by currentTaskSignal(). A request runs until its response has finished or closed,
// and drain() lets all its tasks run until then.
//
// A started request holds connections, locks and memory that other requests need. So onImpatient()
// is called once its entries have been queued for long, in sum; while several are queued, the time
// counts once.

const { isAbortOf } = require('../signals/aborted.js');
const { finishRemoval } = require('../loop/event-loop.js');
const { now } = require('../loop/platform.js');
const { observers } = require('../loop/observers.js');
const { clearTimer, setTimer } = require('../loop/timers.js');
const { prioritySlots } = require('../signals/task-signal.js');
const { scheduleRequest } = require('./scheduler.js');
const { copyOf, currentPriorityOf, followingState } = require('./scheduling-state.js');

// The key of the default state, which is undefined.
const DEFAULT = {};

// The interval in ms at which requests with queued entries are checked.
const INTERVAL = 25;

// The patient requests that have queued entries.
const queued = new Set();

let isTimed = false;

function lookLater() {
  if (isTimed) return;
  isTimed = true;
  setTimer(() => {
    isTimed = false;
    const time = now();
    for (const request of queued) request.look(time);
    if (queued.size > 0) lookLater();
  }, INTERVAL).unref();
}

class Request {
  // The TaskSignal of its client, whose priority is the priority of the request.
  signal;
  // The state of its listener.
  state;
  // Whether its listener was called and its response has neither finished nor closed.
  isRunning = false;
  #flow;
  // The states of the tasks that it posts, by the state that each would have outside of a request.
  #copies;
  // The task while it is queued.
  #task;
  // Whether the waits of its entries are counted, and the remaining time in ms until onImpatient().
  isPatient = false;
  #patience;
  #onImpatient;
  // The number of its queued entries, and the time since which at least one is queued.
  #entries = 0;
  #since = 0;

  // Calls `onImpatient()` once the entries of the running request have been queued for `patience`
  // ms.
  constructor(signal, patience, onImpatient) {
    this.signal = signal;
    const slots = prioritySlots(signal);
    slots.request = this;
    this.#flow = slots.flow;
    this.#patience = patience;
    this.#onImpatient = onImpatient;
    this.state = this.#own(followingState(undefined, signal));
  }

  #own(state) {
    state.request = this;
    state.client = this.signal;
    state.flow ??= this.#flow;
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
    this.isPatient = this.#patience < Infinity;
  }

  end() {
    if (!this.isRunning) return;
    this.isRunning = false;
    this.isPatient = false;
    // Timers and sockets that the request has created may keep its state.
    this.#onImpatient = undefined;
    queued.delete(this);
    observers.drain?.ended();
  }

  // Counts the wait of an entry that follows the request's priority, from the end of its delay.
  note(entry, delay) {
    const { queue } = entry;
    const timer = delay > 0 ? setTimer(() => {
      this.enter();
      isIn = true;
    }, delay).unref() : undefined;
    let isIn = timer === undefined;
    entry.queue = {
      leave: () => {
        queue.leave();
        if (isIn) this.left();
        else clearTimer(timer);
      },
    };
    if (isIn) this.enter();
  }

  // A part of the request begins to wait for a turn.
  enter() {
    if (this.#entries++ > 0 || !this.isPatient) return;
    this.#since = now();
    queued.add(this);
    lookLater();
  }

  // Ends an enter().
  left() {
    if (--this.#entries > 0 || !this.isPatient) return;
    queued.delete(this);
    this.look(now());
  }

  // Counts the time since the last check.
  look(time) {
    this.#patience -= time - this.#since;
    this.#since = time;
    if (this.#patience > 0) return;
    this.isPatient = false;
    queued.delete(this);
    this.#onImpatient();
  }

  // Whether an error is the abort of the signal.
  isAbort(error) {
    return isAbortOf(this.signal, error);
  }
}

module.exports = { Request };
