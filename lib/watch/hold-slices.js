'use strict';

// The times at which background work was held, for traces. Reads the binding's sums at the end of
// each check phase and infers the start and end of a hold from their growth: as a rule, a hold
// begins at the end of a check phase and ends in another one. A hold that begins and ends between
// two reads is missed.

const { HeldTime } = require('./held-time.js');

class HoldSlices {
  #held = new HeldTime();
  #readClock;
  #write;
  // The last read sums, and the time right after the read.
  #times;
  #lookedAt;
  // The reason and the start of the current hold.
  #reason = null;
  #startedAt = 0;

  // `readClock()` returns the time; `write(reason, start, end)` is called at the end of each hold.
  // All times are in nanoseconds.
  constructor(readClock, write) {
    this.#readClock = readClock;
    this.#write = write;
    this.#times = this.#held.read().times;
    this.#lookedAt = readClock();
  }

  // The check phase ends.
  look(now) {
    const before = this.#times;
    const lookedAt = this.#lookedAt;
    const { times, heldFor } = this.#held.read();
    this.#times = times;
    this.#lookedAt = this.#readClock();
    const grown = (reason) => Math.round(times[reason] - before[reason]);
    const isSame = this.#reason === heldFor;
    let end = lookedAt;
    if (this.#reason !== null) {
      // A hold that continues has grown by at least the time since the last read.
      const rest = grown(this.#reason);
      if (isSame && rest >= now - lookedAt) return;
      end = Math.min(lookedAt + rest, this.#lookedAt);
      this.#write(this.#reason, this.#startedAt, end);
    }
    this.#reason = heldFor;
    if (heldFor === null) return;
    // If a second hold for the same reason began, its part of the growth is unknown, but small, as
    // it began in the check phase that ends here.
    this.#startedAt = Math.max(end, isSame ? now : now - grown(heldFor));
  }

  // Ends the current hold.
  end() {
    const now = this.#readClock();
    this.look(now);
    if (this.#reason !== null) this.#write(this.#reason, this.#startedAt, now);
  }
}

module.exports = { HoldSlices };
