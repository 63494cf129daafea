'use strict';

// The abort steps of tasks. Owns, for each signal that waiting or running tasks have, the set of
// those tasks and the one listener for all of them; knows nothing of what a task does.
//
// The listener is there only while there are tasks: left behind, it would keep composite signals
// alive. It cannot be stopped by other listeners. It also hears `abort` events that user code
// dispatches: those are no aborts, what counts is `signal.aborted`.

const { addAbortListener } = require('node:events');

const sources = new WeakMap();

class AbortSource {
  #tasks = new Set();
  #listener;

  constructor(signal) {
    this.signal = signal;
  }

  // Calls `task.abort(task, reason)` when the signal is aborted, in the order of the calls here.
  add(task) {
    if (this.#listener === undefined) this.#listen();
    this.#tasks.add(task);
  }

  delete(task) {
    if (this.#tasks.delete(task) && this.#tasks.size === 0) this.#unlisten();
  }

  #listen() {
    this.#listener = addAbortListener(this.signal, this.#onAbort);
  }

  #unlisten() {
    // A polyfill may lack the method.
    if (typeof this.signal.removeEventListener === 'function') this.#listener[Symbol.dispose]();
    this.#listener = undefined;
  }

  #onAbort = () => {
    if (!this.signal.aborted) {
      // A dispatched event has used the listener up.
      this.#listen();
      return;
    }
    this.#listener = undefined;
    const reason = abortReason(this.signal);
    const tasks = this.#tasks;
    this.#tasks = new Set();
    for (const task of tasks) task.abort(task, reason);
  };
}

function abortReason(signal) {
  // A polyfill may be older than abort reasons.
  if ('reason' in signal) return signal.reason;
  return new DOMException('This operation was aborted', 'AbortError');
}

// The one AbortSource of a signal.
function abortSource(signal) {
  let source = sources.get(signal);
  if (source === undefined) {
    source = new AbortSource(signal);
    sources.set(signal, source);
  }
  return source;
}

module.exports = { abortReason, abortSource };
