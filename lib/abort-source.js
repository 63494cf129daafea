'use strict';

// The abort steps of tasks. Owns, for each signal that waiting or running tasks have, the list of
// those tasks and the one listener for all of them; knows nothing of what a task does.
//
// The listener goes when there are no tasks any more: left behind, it would keep composite signals
// alive. Until the end of the check phase it stays for those that come. It cannot be stopped by
// other listeners. It also hears `abort` events that user code dispatches: those are no aborts,
// what counts is `signal.aborted`.

const { addAbortListener } = require('node:events');
const { finishRemoval, tidyLater } = require('./event-loop.js');
const { queueMicrotask } = require('./intrinsics.js');

const sources = new WeakMap();

// A task is in the list of one source at most: `previous` and `next` are its neighbours there, and
// undefined while it is in none. The list is a ring, closed by the source itself.
class AbortSource {
  signal;
  previous = this;
  next = this;
  isUnused = false;
  // The scheduling states with this source; see scheduling-state.js.
  states = undefined;
  #listener;
  // Between an event that was no abort and listening again.
  #isDeaf = false;

  constructor(signal) {
    this.signal = signal;
  }

  // Calls `task.abort(reason)` when the signal is aborted, in the order of the calls here. Says
  // whether it is still to be: a signal that is no host's can be aborted by being asked.
  add(task) {
    const isNew = this.#listener === undefined;
    if (isNew) this.#listen();
    const last = this.previous;
    last.next = task;
    task.previous = last;
    task.next = this;
    this.previous = task;
    if (isNew && isAborted(this.signal)) this.abort();
    return task.next !== undefined;
  }

  delete(task) {
    if (this.#isDeaf && isAborted(this.signal)) this.abort();
    if (task.next === undefined) return;
    unlink(task);
    if (this.next === this) tidyLater(this);
  }

  // Runs the abort steps of all tasks. The signal is aborted.
  abort() {
    if (this.next === this) return;
    const reason = abortReason(this.signal);
    this.#unlisten();
    while (this.next !== this) {
      const task = this.next;
      unlink(task);
      task.abort(reason);
    }
    finishRemoval();
  }

  tidy() {
    if (this.next === this) this.#unlisten();
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
    if (isAborted(this.signal)) {
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
    if (isAborted(this.signal)) {
      this.abort();
      return;
    }
    try {
      this.#listen();
    } catch {
      // The signal refuses to be listened to: the tasks run, and the next one tries again.
      this.#unlisten();
    }
  };
}

function unlink(task) {
  task.previous.next = task.next;
  task.next.previous = task.previous;
  task.previous = undefined;
  task.next = undefined;
}

// Whether a signal is aborted. The getter of one that is not the host's may throw at any time: then
// it counts as not aborted, so that its tasks run and are settled.
function isAborted(signal) {
  try {
    return signal.aborted;
  } catch {
    return false;
  }
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

module.exports = { abortSource, isAborted, reasonOfAborted };
