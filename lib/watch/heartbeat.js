'use strict';

// Tells another thread that this one turns: a word in shared memory changes while it does. Both
// threads wake up this many times until the thread counts as stuck, within bounds in ms.

const { clearInterval, setInterval } = require('node:timers');

const LOOKS = 8;
const LEAST_PERIOD = 10;
const MOST_PERIOD = 60_000;

class Heartbeat {
  // More than one word if the user shares others.
  words;
  period;
  #timer;

  constructor(stuckAfter, length = 1) {
    this.words = new Int32Array(new SharedArrayBuffer(length * Int32Array.BYTES_PER_ELEMENT));
    this.period = Math.min(Math.max(stuckAfter / LOOKS, LEAST_PERIOD), MOST_PERIOD);
    this.#timer = setInterval(() => this.beat(), this.period).unref();
  }

  // The thread is not stuck.
  beat() {
    Atomics.add(this.words, 0, 1);
  }

  stop() {
    clearInterval(this.#timer);
  }
}

// Runs in the other thread, from its text: see watching-thread.js. Counts for how long the word has
// not changed. Each look counts for one period at most: while this thread did not run either, as
// the process was stopped or the machine slept, nothing was stuck.
function countQuiet(words, period) {
  let lookedAt = now();
  const counter = {
    word: Atomics.load(words, 0),
    // In ms.
    quiet: 0,
    now,
    beginAnew,

    // Returns whether the word has not changed since the last look.
    look() {
      const before = lookedAt;
      lookedAt = now();
      if (!counter.isStill(counter.word)) {
        beginAnew();
        return false;
      }
      counter.quiet += Math.min(lookedAt - before, period);
      return true;
    },

    // At least: the word changes once in a period while the thread is free.
    stuckFor: () => counter.quiet - period,

    // Whether the thread has not been free since the word had this value.
    isStill: (word) => Atomics.load(words, 0) === word,
  };
  return counter;

  // The clock of the watched thread, in ms.
  function now() {
    const [seconds, nanoseconds] = process.hrtime();
    return seconds * 1e3 + nanoseconds / 1e6;
  }

  function beginAnew() {
    counter.word = Atomics.load(words, 0);
    counter.quiet = 0;
  }
}

module.exports = { Heartbeat, countQuiet };
