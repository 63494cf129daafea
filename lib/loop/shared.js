'use strict';

// The writing end of the memory that JavaScript and Rust share; the reading end is
// `core/src/shared.rs`. An entry for each posted or removed task, and for each change, stays here
// until it is flushed, so that posting needs no call and removing many tasks needs one.
// Each call of the binding takes the entries first.

const {
  CAPACITY,
  COUNT,
  END_OF_CHECK,
  ENTRIES,
  NOTIFY_RANK,
  OPERANDS,
  REMOVED,
  wordOfChange,
} = require('./protocol.js');

class Shared {
  words = new Uint32Array(ENTRIES + 2 * CAPACITY);
  // The same memory: an operand of a change takes two words.
  #operands = new Float64Array(this.words.buffer);
  #flush;

  // `flush` hands all entries over to the binding.
  constructor(flush) {
    this.#flush = flush;
  }

  // Adds the entry of a new task. Returns whether tasks of this rank must be flushed immediately.
  post(id, destination, rank) {
    this.put(id, destination);
    return rank >= this.words[NOTIFY_RANK];
  }

  remove(id) {
    this.put(id, REMOVED);
  }

  // Adds a change, and what changes. The operands are at most three numbers.
  tell(change, what, first = 0, second = 0, third = 0) {
    const { words } = this;
    if (words[COUNT] + OPERANDS >= CAPACITY) this.#flush();
    const count = words[COUNT];
    this.#operands.set([first, second, third], ENTRIES / 2 + count + 1);
    words[ENTRIES + 2 * count] = what;
    words[ENTRIES + 2 * count + 1] = wordOfChange(change);
    words[COUNT] = count + 1 + OPERANDS;
  }

  // Adds an entry of two words.
  put(id, what) {
    const { words } = this;
    if (words[COUNT] >= CAPACITY) this.#flush();
    const count = words[COUNT];
    words[ENTRIES + 2 * count] = id;
    words[ENTRIES + 2 * count + 1] = what;
    words[COUNT] = count + 1;
  }

  // Makes the binding call `endCheck` at the end of the next check phase. Returns whether that was
  // not asked for yet.
  askForEndOfCheck() {
    if (this.words[END_OF_CHECK] !== 0) return false;
    this.words[END_OF_CHECK] = 1;
    return true;
  }
}

module.exports = { Shared };
