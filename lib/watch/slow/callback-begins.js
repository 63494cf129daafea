'use strict';

// The times at which callbacks of the loop begin. Samples cannot tell successive calls of one
// function apart, such as timers that are due together. A hook of `async_hooks` can. On Node 20 and
// 22 each hook follows all promises, which takes 30 ns for an `await`.

const { createHook, executionAsyncResource } = require('node:async_hooks');
const { readNanoseconds } = require('../../loop/time.js');

// The maximum number of times kept until take() reads them.
const MOST = 10_000;

class CallbackBegins {
  #times = [];
  #hook = createHook({ before: () => this.#before(), trackPromises: false }).enable();

  #before() {
    // Timers, immediates and handles; ticks belong to the callback before them.
    if (typeof executionAsyncResource()?.hasRef !== 'function') return;
    if (this.#times.push(readNanoseconds()) > MOST) this.#times.splice(0, MOST / 2);
  }

  // The times since the last call, in nanoseconds.
  take() {
    return this.#times.splice(0);
  }

  stop() {
    this.#hook.disable();
  }
}

module.exports = { CallbackBegins };
