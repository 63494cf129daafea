'use strict';

// The memory that JavaScript and Rust share: tasks that are posted or removed are left here until
// the binding takes them, so that posting needs no call and removing many tasks needs one. The
// binding takes them before everything else it does. The reading end is `src/shared.rs`.

const { CAPACITY, COUNT, END_OF_CHECK, ENTRIES, NOTIFY_RANK, REMOVED } = require('./protocol.js');

class Shared {
  words = new Uint32Array(ENTRIES + 2 * CAPACITY);
  #flush;

  // `flush` makes the binding take all entries.
  constructor(flush) {
    this.#flush = flush;
  }

  // Leaves a new task. Says whether the binding wants tasks of this rank at once.
  post(id, destination, rank) {
    this.#put(id, destination);
    return rank >= this.words[NOTIFY_RANK];
  }

  remove(id) {
    this.#put(id, REMOVED);
  }

  #put(id, what) {
    const { words } = this;
    if (words[COUNT] >= CAPACITY) this.#flush();
    const count = words[COUNT];
    words[ENTRIES + 2 * count] = id;
    words[ENTRIES + 2 * count + 1] = what;
    words[COUNT] = count + 1;
  }

  // Asks for a call at the end of the next check phase.
  askForEndOfCheck() {
    this.words[END_OF_CHECK] = 1;
  }
}

module.exports = { Shared };
