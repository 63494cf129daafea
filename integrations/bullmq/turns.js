'use strict';

// Tells whether the loop still gives turns to a job: while it does, a background continuation runs
// soon after it was queued, whether the job itself has one queued or waits for something else.

const { scheduler } = require('../../index.js');

// How often it looks within the time that a job may go without a turn. Time is counted in these
// steps: when the process was stopped, or the job itself has held the loop, that is one step.
const STEPS = 10;

const LONGEST_INTERVAL = 2 ** 31 - 1;

const ignore = () => {};

class Turns {
  #end = new AbortController();
  #timer;
  #isWaiting = false;
  #steps = 0;
  #onNone;

  // Calls `onNone()` once no turn has come for this many milliseconds.
  constructor(patience, onNone) {
    this.#onNone = onNone;
    if (patience === Infinity) return;
    const interval = Math.min(Math.max(patience / STEPS, 1), LONGEST_INTERVAL);
    this.#timer = setInterval(this.#look, interval);
    this.#timer.unref();
  }

  end() {
    clearInterval(this.#timer);
    this.#end.abort();
  }

  #look = () => {
    if (!this.#isWaiting) {
      this.#ask();
      return;
    }
    this.#steps++;
    if (this.#steps < STEPS) return;
    this.end();
    this.#onNone();
  };

  #ask() {
    const { signal } = this.#end;
    this.#isWaiting = true;
    this.#steps = 0;
    const turn = scheduler.yield({ __proto__: null, priority: 'background', signal, ref: false });
    turn.then(() => {
      this.#isWaiting = false;
    }, ignore);
  }
}

module.exports = { Turns };
