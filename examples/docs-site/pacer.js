'use strict';

// Makes pacers. A pacer tells long work when to pause: the work asks due() between its pieces, and
// awaits pause() if the answer is yes.

// The time for which rendering or indexing goes on before it offers to pause, if nothing but the
// clock tells.
// A request that arrives in between waits for half of that on average, which should be little
// compared to a page's 3 ms.
const CHUNK_MS = 0.25;

/** Pauses when the current chunk has lasted long enough. */
function createClockPacer(pause) {
  let start = performance.now();
  return {
    due: () => performance.now() - start >= CHUNK_MS,
    async pause() {
      await pause();
      start = performance.now();
    },
  };
}

/** Does the same as `pacer`, and adds the time outside pauses to `spend(ms)`. */
function createMeteredPacer(pacer, spend) {
  let begin = performance.now();
  const stop = () => spend(performance.now() - begin);
  return {
    due: pacer.due,
    async pause() {
      stop();
      try {
        await pacer.pause();
      } finally {
        begin = performance.now();
      }
    },
    /** To be called when the work has ended. */
    end: stop,
  };
}

module.exports = { createClockPacer, createMeteredPacer };
