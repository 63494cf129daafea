'use strict';

// The time in ms that the thread had for requests: all time but that of callbacks that no request
// took. Other tasks leave theirs to requests: the scheduler decides which are more important.

const { ledger, time } = require('../../internal.js');

const { unclaimedTime } = ledger;

class AvailableTime {
  #at = time.now();
  #others = unclaimedTime();

  // The time of the last call.
  get at() {
    return this.#at;
  }

  // The available time since the last call.
  take(now) {
    const others = unclaimedTime();
    const available = now - this.#at - (others - this.#others);
    this.#at = now;
    this.#others = others;
    // A test scheduler has another clock.
    return Math.max(available, 0);
  }
}

module.exports = { AvailableTime };
