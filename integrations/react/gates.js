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
const { nextTick, queueMicrotask } = require('../../lib/loop/intrinsics.js');
const { PRIORITIES } = require('./props.js');

const { scheduler } = api;

// The gate that has opened, until React has rendered what is behind it.
let underWay;

// How many immediates of React that takes.
let immediates = 0;

// The gates whose task has started meanwhile wait in lines, one for each signal and priority, so
// that all gates of a line have one priority at any time. There are far fewer lines than gates, and
// one listener for each: Node warns of more than ten on a signal.
const lines = new Set();

let order = 0;

class Line {
  gates = [];
  #options;

  constructor(options) {
    this.#options = options;
    const { signal } = options;
    signal?.addEventListener('abort', this.#onAbort);
    signal?.addEventListener('prioritychange', callNext);
    lines.add(this);
  }

  isFor({ priority, signal }) {
    return this.#options.signal === signal && this.#options.priority === priority;
  }

  // The place of its priority in PRIORITIES.
  get rank() {
    const { priority, signal } = this.#options;
    return PRIORITIES.indexOf(priority ?? signal.priority);
  }

  remove(gate) {
    this.gates.splice(this.gates.indexOf(gate), 1);
    if (this.gates.length > 0) return;
    lines.delete(this);
    const { signal } = this.#options;
    // A polyfill may lack the method, or throw: the listeners then stay, harmlessly.
    try {
      signal?.removeEventListener('abort', this.#onAbort);
      signal?.removeEventListener('prioritychange', callNext);
    } catch {
      // See above.
    }
  }

  #onAbort = () => {
    for (const gate of this.gates) gate.call();
  };
}

class Gate {
  // Fulfilled when the gate opens; rejected if its signal is aborted before.
  promise;
  // Its place by age among the gates that wait.
  order;
  #line;
  #open;
  #fail;
  // The scheduler's options: a priority, unless that of a TaskSignal counts.
  #options;
  #isCalled = false;
  // Called when React has rendered what was behind it, if it has.
  onRendered;

  constructor(options, onRendered) {
    this.#options = options;
    this.onRendered = onRendered;
    this.promise = new Promise((resolve, reject) => {
      this.#open = resolve;
      this.#fail = reject;
    });
    scheduler.postTask(this.#arrive, this.#options).catch(this.#reject);
  }

  // Puts the gate among what the scheduler chooses from. Rejects it if its signal is aborted.
  call() {
    if (this.#isCalled) return;
    this.#isCalled = true;
    scheduler.yield(this.#options).then(this.#arrive).catch(this.#reject);
  }

  #arrive = () => {
    this.#isCalled = false;
    if (underWay !== undefined) {
      this.#wait();
      return;
    }
    this.#leave();
    underWay = this;
    this.#open();
    awaitReactsImmediate();
  };

  #reject = (error) => {
    this.#leave();
    this.#fail(error);
    callNext();
  };

  // It keeps its place if it has waited before.
  #wait() {
    if (this.#line !== undefined) return;
    this.order = order++;
    this.#line = lineFor(this.#options);
    this.#line.gates.push(this);
  }

  #leave() {
    this.#line?.remove(this);
    this.#line = undefined;
  }
}

function lineFor(options) {
  for (const line of lines) if (line.isFor(options)) return line;
  return new Line(options);
}

// Calls the oldest of the highest priority. When a priority changes, too: what was called before
// may be held back now, as its priority was lowered or others were raised above it.
function callNext() {
  if (underWay !== undefined) return;
  let next;
  let best = PRIORITIES.length;
  for (const line of lines) {
    const { rank } = line;
    const [first] = line.gates;
    if (rank > best || (rank === best && first.order > next.order)) continue;
    next = first;
    best = rank;
  }
  next?.call();
}

function rendered() {
  if (--immediates > 0) return;
  const gate = underWay;
  underWay = undefined;
  gate.onRendered();
  callNext();
}

// React hears of the open gate in microtasks, and calls setImmediate in one of them. A tick that is
// queued in a microtask runs when there are no more microtasks.
function awaitReactsImmediate() {
  immediates++;
  queueMicrotask(() => nextTick(setImmediate, rendered));
}

module.exports = {
  Gate,
  awaitReactsImmediate,
  isUnderWay: (gate) => gate === underWay,
};
