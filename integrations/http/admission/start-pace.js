'use strict';

// Few requests start together while the bound by the thread is in force. No request starts within a
// turn of the loop that is long. Without a pace all for which there is room start at its end; then
// their queries end together, too, and the next turn is as long: an important request waits for all
// of them, and afterwards the thread has nothing to do until the next queries end. In measurements
// at twice the capacity, the pace halved the 99th percentile of important requests.

// So many requests may start in the time that the thread takes for one, so that the thread is not
// left idle. The bound is what keeps their number low.
const RATE = 3;

// The most requests that start together.
const TOGETHER = 5;

// In each step of 50 ms older times lose this part of their weight.
const LOST = 0.1;

// The longest time between two starts in ms. The times may also be those of other code, such as a
// long one that ran before the requests came.
const LONGEST = 50;

class StartPace {
  // The recent time in ms that callbacks other than tasks took, and the number of responses that
  // have ended in it.
  #others = 0;
  #ended = 0;
  // The starts that were possible at the time `at`, and have not been used.
  #credit = TOGETHER;
  #at = 0;

  // A response has ended.
  ended() {
    this.#ended++;
  }

  // Callbacks other than tasks took so many ms since the last call.
  step(others) {
    this.#others = (1 - LOST) * (this.#others + others);
    this.#ended *= 1 - LOST;
  }

  // A request has started.
  started() {
    this.#credit = Math.max(this.#credit - 1, 0);
  }

  // The number of requests that may start.
  room(time) {
    const spacing = this.#spacing;
    if (spacing === 0) return Infinity;
    this.#credit = Math.min(this.#credit + (time - this.#at) / spacing, TOGETHER);
    this.#at = time;
    return Math.floor(this.#credit);
  }

  // The time from which one may start.
  get next() {
    return this.#at + (1 - this.#credit) * this.#spacing;
  }

  // The time in ms between two starts; 0 if it is not known.
  get #spacing() {
    if (this.#ended === 0) return 0;
    return Math.min(this.#others / this.#ended / RATE, LONGEST);
  }
}

module.exports = { StartPace };
