'use strict';

// How long user-visible work may go on in a check phase whatever is ready, due or waiting, at most:
// the time of other callbacks is known only from one start of a task to the next, which is longer.

const { USER_BLOCKING, USER_VISIBLE, rank } = require('./states.js');
const { longestSlice } = require('./settings.js');

// The lag with which the share is full, in ms.
const FULL_LAG = 60;

class Share {
  #slice;
  // The last check phase that is known, when it was seen to begin, and its last start of a task.
  #check = 0;
  #began = 0;
  #seen = 0;
  #lag = 0;
  #share = 0;

  constructor(program) {
    this.#slice = longestSlice(program);
  }

  // A task starts in this check phase, while these entries wait.
  start(check, waiting) {
    const now = performance.now();
    if (check !== this.#check) this.#begin(now, waiting);
    this.#check = check;
    this.#seen = now;
  }

  // Whether user-visible work may go on that was seen to run at this time.
  has(time) {
    return time - this.#began < this.#share;
  }

  #begin(now, waiting) {
    const others = now - this.#seen;
    // Whether the check phase before left some is open.
    const hasVisible = [...waiting].some((entry) => {
      return rank(entry) >= USER_VISIBLE && rank(entry) < USER_BLOCKING;
    });
    this.#lag = hasVisible ? Math.min(FULL_LAG, this.#lag + others) : 0;
    this.#share = Math.min(this.#slice, others) * (this.#lag / FULL_LAG) ** 2;
    this.#began = now;
  }
}

module.exports = { Share };
