'use strict';

// When background work was held, for traces. The sums that the binding gives are read at the end of
// each check phase. How much they have grown tells when in between a hold has begun or ended: as a
// rule, it begins where a check phase ends, and ends in another. One that begins and ends between
// two reads is not seen.

const { HeldTime } = require('./held-time.js');

class HoldSlices {
  #held = new HeldTime();
  #readClock;
  #write;
  // What was read last, and the time right after.
  #times;
  #lookedAt;
  // The hold under way: its reason and when it began.
  #reason = null;
  #startedAt = 0;

  // `readClock()` returns the time; `write(reason, start, end)` is called for each hold that has
  // ended. All times are in nanoseconds.
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
      // One that goes on has grown for at least the time in between.
      const rest = grown(this.#reason);
      if (isSame && rest >= now - lookedAt) return;
      end = Math.min(lookedAt + rest, this.#lookedAt);
      this.#write(this.#reason, this.#startedAt, end);
    }
    this.#reason = heldFor;
    if (heldFor === null) return;
    // Of a second hold for the same reason it is not known what of the growth is its own. It is
    // little, as the check phase in which it began ends here.
    this.#startedAt = Math.max(end, isSame ? now : now - grown(heldFor));
  }

  // Nothing more is looked at.
  end() {
    const now = this.#readClock();
    this.look(now);
    if (this.#reason !== null) this.#write(this.#reason, this.#startedAt, now);
  }
}

module.exports = { HoldSlices };
