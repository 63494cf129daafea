'use strict';

// The last events of a program, for a person who reads a failure: words, and steps of the program
// as they are. Knows nothing of their meaning.

const KEPT = 60;

class Trace {
  #events = [];
  #start = performance.now();

  push(...words) {
    this.#events.push([performance.now() - this.#start, words]);
    if (this.#events.length > 2 * KEPT) this.#events.splice(0, KEPT);
  }

  lines() {
    return this.#events.slice(-KEPT).map(([time, words]) => {
      const text = words.map((word) => (typeof word === 'object' ? describe(word) : word));
      return `${time.toFixed(3).padStart(9)} ${text.join(' ')}`;
    });
  }
}

function describe({ name, body, ...options }) {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const list = given.map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  if (body !== undefined) list.push(`body: ${body.length} steps`);
  return `${name}(${list.join(', ')})`;
}

module.exports = { Trace };
