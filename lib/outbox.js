'use strict';

// The outbox: where tasks that are posted or removed wait for the binding to collect them, so that
// posting needs no call, and removing many tasks needs one. Owns the layout of the memory that both
// sides share; its twin is `src/outbox.rs`.
//
// Word 0 is the rank from which on a task has to be told of at once, word 1 the number of entries,
// word 2 whether the end of the check phase is to be told; each entry is two words, the task's id
// and where it is put (its queue's id times 8 and its rank) or that it is removed. The binding
// writes word 0, sets word 1 back when it collects, which it does before everything else it does,
// and word 2 when it tells.

const ATTENTION = 0;
const COUNT = 1;
const END_OF_CHECK = 2;
const ENTRIES = 3;
const CAPACITY = 255;

// In place of a destination: the task is removed.
const REMOVED = 0xffffffff;

class Outbox {
  words = new Uint32Array(ENTRIES + 2 * CAPACITY);

  // Says whether the binding has to be told, for the task's rank or because the outbox is full.
  post(id, destination, rank) {
    return this.#put(id, destination) || rank >= this.words[ATTENTION];
  }

  // Says whether the binding has to be told at once, because the outbox is full.
  remove(id) {
    return this.#put(id, REMOVED);
  }

  #put(id, what) {
    const words = this.words;
    const count = words[COUNT];
    words[ENTRIES + 2 * count] = id;
    words[ENTRIES + 2 * count + 1] = what;
    words[COUNT] = count + 1;
    return count + 1 === CAPACITY;
  }

  askForEndOfCheck() {
    this.words[END_OF_CHECK] = 1;
  }
}

module.exports = { Outbox };
