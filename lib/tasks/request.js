'use strict';

// A request of uv-scheduler/http: one record from the first call that names it until its response
// has finished or closed. Each has a controller and a flow. An admitted one also posts a task, and
// has the scheduling state that its code and its tasks inherit. Knows nothing of HTTP.
//
// Code and tasks of a request inherit its priority. The signal of its client does not abort tasks:
// code gets it by currentTaskSignal(). A request runs until its response has finished or closed,
// and drain() lets all its tasks run until then.
//
// A started request holds connections, locks and memory that other requests need. So it becomes
// user-visible once its entries have been queued for long, in sum; while several are queued, the
// time counts once.

const { abortSource } = require('../signals/abort-source.js');
const { isAbortOf } = require('../signals/aborted.js');
const { finishRemoval } = require('../loop/event-loop.js');
const { queueMicrotask } = require('../loop/platform.js');
const { observers } = require('../loop/observers.js');
const { clearTimer, now, setTimer } = require('../loop/time.js');
const { controllerWith } = require('../signals/task-controller.js');
const { PrioritySlots } = require('../signals/task-signal.js');
const { Flow, chargeOutside } = require('./flow.js');
const { scheduleRequest } = require('./scheduler.js');
const ledger = require('./ledger.js');
const { contextWith, stateOfSlots } = require('./scheduling-state.js');

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
  flow;
  // The TaskController, from the first use on, as most requests use none; and whether and why it
  // was aborted before that.
  #controller = undefined;
  #isAborted = false;
  #reason = undefined;
  // The options that calls of controllerFor() have given.
  given = undefined;
  // The state of its listener, from the first post() on.
  state = undefined;
  // Whether its listener was called and its response has neither finished nor closed.
  isRunning = false;
  // The admission in which it has begun.
  admission = undefined;
  // Whether the thread's time is charged to it, as its response has not ended; the time in ms so
  // far, and the function to call with more.
  isCharged = false;
  used = 0;
  #charged = undefined;
  // The record that is charged as well, if an admission observes the request.
  observer = undefined;
  // Whether its response has finished or closed, and the functions to call then.
  isOver = false;
  #ends = undefined;
  #slots;
  // The states of the tasks that it posts, by the state that each would have outside of a request.
  #copies = undefined;
  // Whether the waits of its entries are counted, the remaining time in ms until it becomes
  // user-visible, and the function to call then.
  isPatient = false;
  #patience = Infinity;
  #raised = undefined;
  // The number of its queued entries, and the time since which at least one is queued.
  #entries = 0;
  #since = 0;

  // `flow` is given if the request is a part of another one.
  constructor({ fairnessKey, fairnessWeight, priority }, flow = undefined) {
    this.flow = flow ?? new Flow(fairnessKey, fairnessWeight);
    if (flow === undefined) {
      this.flow.request = this;
      this.flow.watch();
    }
    this.#slots = new PrioritySlots(priority ?? 'user-visible', false, undefined);
    this.#slots.flow = this.flow;
    this.#slots.request = this;
  }

  get controller() {
    if (this.#controller === undefined) {
      this.#controller = controllerWith(this.#slots);
      abortSource(this.#controller.signal).keepsListening = true;
      if (this.#isAborted) this.#controller.abort(this.#reason);
    }
    return this.#controller;
  }

  // The TaskSignal of the controller, whose priority is the priority of the request.
  get signal() {
    return this.controller.signal;
  }

  get isAborted() {
    return this.#controller === undefined ? this.#isAborted : this.signal.aborted;
  }

  abort(reason = undefined) {
    if (this.#controller !== undefined) {
      this.#controller.abort(reason);
    } else if (!this.#isAborted) {
      this.#isAborted = true;
      this.#reason = reason;
    }
  }

  setPriority(priority) {
    if (this.#controller !== undefined) this.#controller.setPriority(priority);
    else if (priority !== this.priority) this.#slots.move(priority);
  }

  // Sets the members that are given.
  change({ fairnessKey, fairnessWeight, priority }) {
    if (priority !== undefined) this.setPriority(priority);
    if (fairnessKey !== undefined) this.flow.setKey(fairnessKey, fairnessWeight);
  }

  get priority() {
    return this.#slots.priority;
  }

  // Posts its task, and returns it. `callback` is called when the task starts, in the state
  // of the request.
  post(callback, label) {
    this.state ??= this.#own(stateOfSlots(this.#slots));
    return scheduleRequest(callback, this.state, label);
  }

  // Aborts the request before it has started. If its task waits, removes the task from its queue,
  // and rejects its promise.
  withdraw(task) {
    this.abort();
    if (task === undefined) return;
    task.abort(this.signal.reason);
    finishRemoval();
  }

  // Its listener is about to be called. Calls `raised()` when the request becomes user-visible, as
  // its entries have been queued for `patience` ms.
  begin(patience, raised) {
    this.isRunning = true;
    this.isPatient = patience < Infinity;
    this.#patience = patience;
    this.#raised = raised;
  }

  // The state of a task that the request posts.
  of(state) {
    if (state?.request === this) return state;
    this.#copies ??= new WeakMap();
    const key = state ?? DEFAULT;
    let copy = this.#copies.get(key);
    if (copy === undefined) {
      copy = this.#own(state);
      this.#copies.set(key, copy);
    }
    return copy;
  }

  #own(state) {
    return contextWith(state, { request: this, flow: state?.flow ?? this.flow });
  }

  // The thread's time for its code is charged to it from now on, and to `charged(ms)`.
  beginCharge(charged = undefined) {
    this.#charged ??= charged;
    if (this.isCharged || this.isOver) return;
    this.isCharged = true;
    ledger.begin();
  }

  // Its response has ended: what its code does from now on is not for its client.
  endCharge() {
    if (!this.isCharged) return;
    this.isCharged = false;
    ledger.end();
  }

  // Its code has run for so many ms. In tasks, the core charges the flow itself.
  charge(time) {
    this.used += time;
    this.flow.begin();
    chargeOutside(this.flow, this.priority, time);
    this.#charged?.(time);
    this.observer?.charge(time);
  }

  // Calls `ended()` when the response has finished or closed, immediately if it already has.
  onEnd(ended) {
    if (this.isOver) ended();
    else (this.#ends ??= []).push(ended);
  }

  // The response has finished, or has closed for this reason. Further work is not part of the
  // request any more: timers, sockets and pools that the request was the first to create, and work
  // that is not awaited.
  end(reason = undefined) {
    if (reason !== undefined) this.abort(reason);
    // One that was answered while it waited has not finished: what it has used says nothing about
    // how long requests take.
    const hasBegun = this.isRunning || this.state === undefined;
    this.flow.end(reason === undefined && hasBegun);
    setDefaultPriority(this);
    this.isOver = true;
    this.endCharge();
    const ends = this.#ends;
    this.#ends = undefined;
    for (const ended of ends ?? []) ended();
    if (!this.isRunning) return;
    this.isRunning = false;
    this.isPatient = false;
    // Timers and sockets that the request has created may keep its state.
    this.#raised = undefined;
    queued.delete(this);
    observers.drain?.ended(this);
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

  // A part of the request begins to wait.
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
    this.#raise();
  }

  #raise() {
    if (this.priority !== 'background') return;
    this.#raised();
    setDefaultPriority(this);
  }

  // Whether an error is the abort of the signal.
  isAbort(error) {
    return this.#controller !== undefined && isAbortOf(this.signal, error);
  }
}

// Gives a request the default priority.
function setDefaultPriority(request) {
  try {
    request.setPriority('user-visible');
  } catch (error) {
    if (error?.name !== 'NotAllowedError') throw error;
    // Called from a listener of a priority change under way.
    queueMicrotask(() => setDefaultPriority(request));
  }
}

module.exports = { Request };
