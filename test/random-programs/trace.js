'use strict';

// The last events of a program, for a person who reads a failure: words, and steps of the program
// as they are. Knows nothing of their meaning.

const { inspect } = require('node:util');

const KEPT = 60;
const ONE_LINE = { breakLength: Infinity, depth: 0 };

class Trace {
  #events = [];
  #start = performance.now();

  push(...words) {
    this.#events.push([performance.now() - this.#start, words]);
    if (this.#events.length > 2 * KEPT) this.#events.splice(0, KEPT);
  }

  lines() {
    return this.#events.slice(-KEPT).map(([time, words]) => {
      const show = (word) => (typeof word === 'object' ? inspect(word, ONE_LINE) : word);
      return `${time.toFixed(3).padStart(9)} ${words.map(show).join(' ')}`;
    });
  }
}

module.exports = { Trace };
