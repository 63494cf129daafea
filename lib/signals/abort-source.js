'use strict';

// The abort steps of tasks: one AbortSource per signal lists the tasks that wait or run with it.
//
// The listener is removed when the list is empty, but only at the end of the check phase, so that
// tasks posted until then reuse it.

const { abortReason, isAbortOf } = require('./aborted.js');
const { AbortSteps } = require('./abort-steps.js');
const { finishRemoval, tidyLater } = require('../loop/event-loop.js');

const sources = new WeakMap();

class AbortSource extends AbortSteps {
  isUnused = false;
  // A StatesOfSignal; see scheduling-state.js.
  states = undefined;

  abort() {
    if (this.isEmpty) return;
    super.abort();
    finishRemoval();
  }

  // Whether an error is the abort of the signal.
  isAbort(error) {
    return isAbortOf(this.signal, error);
  }

  emptied() {
    tidyLater(this);
  }

  tidy() {
    if (this.isEmpty) this.unlisten();
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

// The reason of an aborted signal. First rejects the signal's earlier tasks, which still wait if a
// listener of the application is called before the one here.
function reasonOfAborted(signal) {
  sources.get(signal)?.abort();
  return abortReason(signal);
}

module.exports = { abortSource, reasonOfAborted };
