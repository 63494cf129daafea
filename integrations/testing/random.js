'use strict';

// Random numbers that a seed repeats on every machine (the generator mulberry32).

class Random {
  #state;

  constructor(seed) {
    this.#state = seed >>> 0;
  }

  // A number from 0 to 1, without 1.
  next() {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  // Whether an event of this probability happens.
  chance(probability) {
    return this.next() < probability;
  }
}

module.exports = { Random };
