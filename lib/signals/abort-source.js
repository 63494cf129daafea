'use strict';

// The abort steps of tasks: one AbortSource per signal lists the tasks that wait or run with it,
// and has one listener for all of them.
//
// The listener is removed when the list is empty, as it would keep composite signals alive; but
// only at the end of the check phase, so that tasks posted until then reuse it. Other listeners
// cannot stop it. It is also called for `abort` events that user code dispatches, which abort
// nothing: only `signal.aborted` counts.

const { addAbortListener } = require('node:events');
const { abortReason, isAborted } = require('./aborted.js');
const { finishRemoval, tidyLater } = require('../loop/event-loop.js');
const { queueMicrotask } = require('../loop/intrinsics.js');

const sources = new WeakMap();

// A task is in the list of at most one source: `previous` and `next` are its neighbours there, and
// undefined while it is in no list. The list is a ring that includes the source itself.
class AbortSource {
  signal;
  previous = this;
  next = this;
  isUnused = false;
  // A StatesOfSignal; see scheduling-state.js.
  states = undefined;
  #listener;
  // Set after a dispatched event has removed the listener, until it is added again.
  #isDeaf = false;

  constructor(signal) {
    this.signal = signal;
  }

  // Calls `task.abort(reason)` when the signal is aborted, in the order in which tasks were added.
  // Returns false if it was called already: asking a foreign signal can abort it.
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

  // Runs the abort steps of all tasks, once the signal is aborted.
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

  // Whether the signal is aborted, for this reason.
  isReason(error) {
    return isAborted(this.signal) && abortReason(this.signal) === error;
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
      // A dispatched event has used the listener up. Adding it again at once would let it hear the
      // same event, and two listeners that do so would never end.
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
      // The signal refuses the listener: its tasks run, and the next one posted tries again.
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

// The AbortSource of a signal, created on first use.
function abortSource(signal) {
  let source = sources.get(signal);
  if (source === undefined) {
    source = new AbortSource(signal);
    sources.set(signal, source);
  }
  return source;
}

// The reason of an aborted signal. First rejects the signal's earlier tasks, which still wait if a
// listener of the application is called before the one here.
function reasonOfAborted(signal) {
  sources.get(signal)?.abort();
  return abortReason(signal);
}

module.exports = { abortSource, reasonOfAborted };
