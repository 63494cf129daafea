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
  // Between an event that was no abort and listening again.
  #isDeaf = false;

  constructor(signal) {
    this.signal = signal;
  }

  // Calls `task.abort(task, reason)` when the signal is aborted, in the order of the calls here.
  // Says whether it is still to be: a signal that is no host's can be aborted by being asked.
  add(task) {
    if (this.#listener !== undefined) {
      this.#tasks.add(task);
      return true;
    }
    this.#listen();
    this.#tasks.add(task);
    if (this.signal.aborted) this.abort();
    return this.#tasks.has(task);
  }

  delete(task) {
    if (this.#isDeaf && this.signal.aborted) this.abort();
    if (this.#tasks.delete(task) && this.#tasks.size === 0) this.#unlisten();
  }

  // Runs the abort steps of all tasks. The signal is aborted.
  abort() {
    if (this.#tasks.size === 0) return;
    const reason = abortReason(this.signal);
    const tasks = this.#tasks;
    this.#tasks = new Set();
    this.#unlisten();
    for (const task of tasks) task.abort(task, reason);
  }

  #listen() {
    this.#listener = addAbortListener(this.signal, this.#onAbort);
  }

  #unlisten() {
    const listener = this.#listener;
    this.#listener = undefined;
    // A polyfill may lack the method, or throw: then the listener stays, and finds no tasks.
    try {
      listener?.[Symbol.dispose]();
    } catch {
      // Nothing depends on it.
    }
  }

  #onAbort = () => {
    if (this.signal.aborted) {
      this.abort();
    } else if (this.#listener !== undefined) {
      // A dispatched event has used the listener up. Not at once: a listener that is added while
      // the event is dispatched hears it, too, and two that do this would never end.
      this.#isDeaf = true;
      queueMicrotask(this.#listenAgain);
    }
  };

  #listenAgain = () => {
    this.#isDeaf = false;
    if (this.#listener === undefined) return;
    if (this.signal.aborted) this.abort();
    else this.#listen();
  };
}

function abortReason(signal) {
  try {
    if ('reason' in signal) return signal.reason;
  } catch (error) {
    return error;
  }
  // A polyfill may be older than abort reasons.
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

// The reason of a signal that is aborted. The tasks that it has had for longer are rejected first,
// also where a listener of the application hears of the abort before the one here does.
function reasonOfAborted(signal) {
  sources.get(signal)?.abort();
  return abortReason(signal);
}

module.exports = { abortSource, reasonOfAborted };
