'use strict';

// The abort steps of a signal, which run when the signal is aborted, in the order in which they
// were added: those of its tasks that wait or run, and those of onAbort(). They share one listener,
// as Node 20 warns of more than ten listeners on a signal.
//
// Other listeners cannot stop this one. It is also called for `abort` events that user code
// dispatches without an abort: only `signal.aborted` counts. Node has `addAbortListener` since
// 20.5.

const { addAbortListener } = require('node:events');
const { abortReason, isAborted, isAbortOf } = require('./aborted.js');
const { finishRemoval, tidyLater } = require('../loop/event-loop.js');
const { queueMicrotask } = require('../loop/platform.js');
const { Ring, unlink } = require('../loop/ring.js');

const sources = new WeakMap();

// A step has a method `abort(reason)`, and is in the list of at most one signal.
class AbortSource extends Ring {
  signal;
  // A StatesOfSignal; see scheduling-state.js.
  states = undefined;
  isUnused = false;
  // Whether the listener stays after the last step, as steps follow each other one at a time.
  keepsListening = false;
  #listener;
  // Set after a dispatched event has removed the listener, until it is added again.
  #isDeaf = false;

  constructor(signal) {
    super();
    this.signal = signal;
  }

  // Calls `step.abort(reason)` when the signal is aborted. Returns false if that has already
  // happened: reading `aborted` of a foreign signal can abort it.
  add(step) {
    const isNew = this.#listener === undefined;
    if (isNew) this.#listen();
    this.push(step);
    if (isNew && isAborted(this.signal)) this.abort();
    return step.next !== undefined;
  }

  // Removes a step. The listener stays until the end of the check phase, so that tasks that are
  // posted until then reuse it.
  delete(step) {
    if (this.#isDeaf && isAborted(this.signal)) this.abort();
    if (step.next === undefined) return;
    unlink(step);
    if (this.isEmpty) tidyLater(this);
  }

  // Runs all steps, once the signal is aborted.
  abort() {
    if (this.isEmpty) return;
    const reason = abortReason(this.signal);
    this.#unlisten();
    while (!this.isEmpty) {
      const step = this.next;
      unlink(step);
      step.abort(reason);
    }
    finishRemoval();
  }

  // Whether an error is the abort of the signal.
  isAbort(error) {
    return isAbortOf(this.signal, error);
  }

  // Removes the listener after the last step, as a listener would keep composite signals alive.
  tidy() {
    if (this.isEmpty && !this.keepsListening) this.#unlisten();
  }

  #listen() {
    this.#listener = addAbortListener(this.signal, this.#onAbort);
  }

  #unlisten() {
    const listener = this.#listener;
    this.#listener = undefined;
    // A polyfill may lack `removeEventListener`, or throw: the listener then stays, harmlessly.
    try {
      listener?.[Symbol.dispose]();
    } catch {
      // See above.
    }
  }

  #onAbort = () => {
    if (isAborted(this.signal)) {
      this.abort();
    } else if (this.#listener !== undefined) {
      // A dispatched event has removed the listener. A listener that is added again immediately
      // would get the same event, and two such listeners would loop for ever.
      this.#isDeaf = true;
      queueMicrotask(this.#listenAgain);
    }
  };

  #listenAgain = () => {
    this.#isDeaf = false;
    if (this.#listener === undefined) return;
    if (isAborted(this.signal)) {
      this.abort();
      return;
    }
    try {
      this.#listen();
    } catch {
      // The signal refuses the listener, so the steps cannot be aborted until the next add() tries
      // again.
      this.#unlisten();
    }
  };

  // Calls `aborted(reason)` when the signal is aborted, immediately if it is already. `end()` of
  // the result cancels this.
  subscribe(aborted) {
    const step = { previous: undefined, next: undefined, abort: aborted };
    this.add(step);
    // A dispatched event may have removed the listener right before the abort.
    if (isAborted(this.signal)) this.abort();
    return {
      end: () => {
        this.delete(step);
        this.tidy();
      },
    };
  }
}

// The AbortSource of a signal, created on first use.
function abortSource(signal) {
  let source = sources.get(signal);
  if (source === undefined) {
    source = new AbortSource(signal);
    sources.set(signal, source);
  }
  return source;
}

// Subscribes to any signal.
function onAbort(signal, aborted) {
  return abortSource(signal).subscribe(aborted);
}

// The reason of an aborted signal. First rejects the signal's earlier tasks, which still wait if a
// listener of the application is called before the one here.
function reasonOfAborted(signal) {
  sources.get(signal)?.abort();
  return abortReason(signal);
}

module.exports = { abortSource, onAbort, reasonOfAborted };
