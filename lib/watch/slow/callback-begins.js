'use strict';

// The times at which callbacks of the loop begin. Samples cannot tell successive calls of one
// function apart, such as timers that are due together. A hook of `async_hooks` can. Where hooks
// follow every promise, on Node 20 and 22, that would cost more than the samples.

const { createHook, executionAsyncResource } = require('node:async_hooks');
const { readNanoseconds } = require('../../loop/time.js');

// The maximum number of times kept until take() reads them.
const MOST = 10_000;

// Only a Node that knows the option refuses this combination.
function canIgnorePromises() {
  try {
    createHook({ trackPromises: false, promiseResolve() {} });
    return false;
  } catch {
    return true;
  }
}

class CallbackBegins {
  #times = [];
  #hook;

  constructor() {
    if (!canIgnorePromises()) return;
    const before = () => {
      // Timers, immediates and handles; ticks belong to the callback before them.
      if (typeof executionAsyncResource()?.hasRef !== 'function') return;
      if (this.#times.push(readNanoseconds()) > MOST) this.#times.splice(0, MOST / 2);
    };
    this.#hook = createHook({ before, trackPromises: false }).enable();
  }

  // The times since the last call, in nanoseconds.
  take() {
    return this.#times.splice(0);
  }

  stop() {
    this.#hook?.disable();
  }
}

module.exports = { CallbackBegins };
