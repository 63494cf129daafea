'use strict';

// How long user-visible work may go on in a check phase whatever is ready, due or waiting, at most:
// the time of other callbacks is known only from one start of a task to the next, which is longer.

const { USER_BLOCKING, USER_VISIBLE, rank } = require('./states.js');

// The lag with which the share is full, in ms.
const FULL_LAG = 60;

// If nothing was seen to run for so many ms, the loop may have come to another check phase.
const UNSEEN = 1;

class Share {
  // The last check phase that is known, its last start of a task, and when its share ends.
  #check = 0;
  #seen = 0;
  #end = 0;
  #lag = 0;

  // A task starts in this check phase, while these entries wait. `lastTime` is when JavaScript was
  // last seen to run.
  start(check, waiting, lastTime) {
    const now = performance.now();
    if (check !== this.#check) this.#end = 0;
    if (check !== this.#check || now - lastTime > UNSEEN) this.#begin(now, waiting);
    this.#check = check;
    this.#seen = now;
  }

  // Whether user-visible work may go on that was seen to run at this time.
  has(time) {
    return time < this.#end;
  }

  #begin(now, waiting) {
    const others = now - this.#seen;
    // Whether the check phase before left some is open.
    const hasVisible = [...waiting].some((entry) =>
      rank(entry) >= USER_VISIBLE && rank(entry) < USER_BLOCKING);
    this.#lag = hasVisible ? Math.min(FULL_LAG, this.#lag + others) : 0;
    const share = others * (this.#lag / FULL_LAG) ** 2;
    this.#end = Math.max(this.#end, now + share);
  }
}

module.exports = { Share };
