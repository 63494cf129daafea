'use strict';

// Numbers that a seed decides, the same on every machine. Knows nothing of what they are for.

class Random {
  #state;

  constructor(seed) {
    this.#state = (Math.imul(seed, 0x9e3779b1) ^ Math.floor(seed / 2 ** 32)) >>> 0;
  }

  // A whole number from 0 up to, but not including, `end`.
  below(end) {
    // mulberry32
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let bits = this.#state;
    bits = Math.imul(bits ^ (bits >>> 15), bits | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return Math.floor((((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32) * end);
  }

  percent(chance) {
    return this.below(100) < chance;
  }

  pick(list) {
    return list[this.below(list.length)];
  }

  // A key of an object whose values are weights.
  weighted(weights) {
    const entries = Object.entries(weights);
    let left = this.below(entries.reduce((sum, [, weight]) => sum + weight, 0));
    return entries.find(([, weight]) => (left -= weight) < 0)[0];
  }
}

module.exports = { Random };
