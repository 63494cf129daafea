'use strict';

// Opens the gates of all renders, one after the other. The scheduler chooses the next one, as each
// gate posts a task, which opens it.
//
// React answers an open gate with an immediate that renders everything whose gate has opened until
// then. So a gate waits if its task starts before that immediate has run. When React has rendered,
// the first of those that wait is called: it goes on with a continuation, which comes before tasks
// of its priority. Nothing here depends on whether React really rendered: a render that was aborted
// leaves gates behind that open for nobody, and the next one opens a turn of the loop later.

const { setImmediate } = require('node:timers');
const api = require('../../index.js');
const { nextTick, queueMicrotask } = require('../intrinsics.js');
const { PRIORITIES } = require('./props.js');

const { scheduler } = api;

// From the opening of a gate until React has rendered what is behind it.
let isRendering = false;

// The gates whose task has started meanwhile, in that order.
const waiting = new Set();

// The listeners on their signals: one on each, as Node warns of more than ten.
const listeners = new Map();

class Gate {
  // Fulfilled when the gate opens; rejected if its signal is aborted before.
  promise;
  #open;
  #fail;
  // The scheduler's options: a priority, unless that of a TaskSignal counts.
  #options;
  #isCalled = false;

  constructor(priority, signal) {
    const isFollowed = signal !== undefined && signal instanceof api.TaskSignal;
    this.#options = { priority: priority ?? (isFollowed ? undefined : 'user-visible'), signal };
    this.promise = new Promise((resolve, reject) => {
      this.#open = resolve;
      this.#fail = reject;
    });
    scheduler.postTask(this.#arrive, this.#options).catch(this.#reject);
  }

  get signal() {
    return this.#options.signal;
  }

  // The place of its priority in PRIORITIES.
  get rank() {
    const { priority, signal } = this.#options;
    return PRIORITIES.indexOf(priority ?? signal.priority);
  }

  // Puts the gate among what the scheduler chooses from. Rejects it if its signal is aborted.
  call() {
    if (this.#isCalled) return;
    this.#isCalled = true;
    scheduler.yield(this.#options).then(this.#arrive).catch(this.#reject);
  }

  #arrive = () => {
    this.#isCalled = false;
    if (isRendering) {
      this.#wait();
      return;
    }
    this.#leave();
    isRendering = true;
    this.#open();
    afterReactsImmediate(rendered);
  };

  #reject = (error) => {
    this.#leave();
    this.#fail(error);
    callNext();
  };

  // It keeps its place if it has waited before.
  #wait() {
    if (waiting.has(this)) return;
    waiting.add(this);
    if (this.signal !== undefined) listen(this.signal);
  }

  #leave() {
    if (waiting.delete(this) && this.signal !== undefined) unlisten(this.signal);
  }
}

function listen(signal) {
  const listener = listeners.get(signal);
  if (listener !== undefined) {
    listener.gates++;
    return;
  }
  const onAbort = () => {
    for (const gate of waiting) if (gate.signal === signal) gate.call();
  };
  listeners.set(signal, { onAbort, gates: 1 });
  signal.addEventListener('abort', onAbort);
  signal.addEventListener('prioritychange', callNext);
}

function unlisten(signal) {
  const listener = listeners.get(signal);
  if (--listener.gates > 0) return;
  listeners.delete(signal);
  // A polyfill may lack the method, or throw: the listeners then stay, harmlessly.
  try {
    signal.removeEventListener('abort', listener.onAbort);
    signal.removeEventListener('prioritychange', callNext);
  } catch {
    // See above.
  }
}

// Calls the oldest of the highest priority. When a priority changes, too: what was called before
// may be held back now, as its priority was lowered or others were raised above it.
function callNext() {
  if (isRendering) return;
  let next;
  let best = PRIORITIES.length;
  for (const gate of waiting) {
    const { rank } = gate;
    if (rank < best) [next, best] = [gate, rank];
  }
  next?.call();
}

function rendered() {
  isRendering = false;
  callNext();
}

// React hears of the open gate in microtasks, and calls setImmediate in one of them. A tick that is
// queued in a microtask runs when there are no more microtasks.
function afterReactsImmediate(callback) {
  queueMicrotask(() => nextTick(setImmediate, callback));
}

// A promise that is fulfilled when React may render what is behind a gate.
function openGate(priority, signal) {
  return new Gate(priority, signal).promise;
}

module.exports = { openGate };
