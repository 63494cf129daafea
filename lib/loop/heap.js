'use strict';

// A binary heap, with the least entry by `isBefore` at the top. A change takes a time logarithmic
// in its size. An entry is in one heap at most, and has its position there in `place`.

const NOWHERE = -1;

class Heap {
  #entries = [];
  #isBefore;

  // The result of `isBefore` for an entry may change only outside of the heap, or before update().
  constructor(isBefore) {
    this.#isBefore = isBefore;
  }

  get size() {
    return this.#entries.length;
  }

  // The first entry; undefined if there is none.
  get first() {
    return this.#entries[0];
  }

  at(place) {
    return this.#entries[place];
  }

  push(entry) {
    entry.place = this.#entries.push(entry) - 1;
    this.update(entry);
  }

  // Does nothing if the entry is not in the heap.
  remove(entry) {
    const { place } = entry;
    if (place === NOWHERE) return;
    entry.place = NOWHERE;
    const last = this.#entries.pop();
    if (last === entry) return;
    this.#put(last, place);
    this.update(last);
  }

  // The order of the entry has changed.
  update(entry) {
    const entries = this.#entries;
    let { place } = entry;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!this.#isBefore(entry, entries[parent])) break;
      this.#put(entries[parent], place);
      place = parent;
    }
    for (let child; (child = 2 * place + 1) < entries.length; place = child) {
      const right = child + 1;
      if (right < entries.length && this.#isBefore(entries[right], entries[child])) child = right;
      if (!this.#isBefore(entries[child], entry)) break;
      this.#put(entries[child], place);
    }
    this.#put(entry, place);
  }

  #put(entry, place) {
    this.#entries[place] = entry;
    entry.place = place;
  }
}

module.exports = { Heap, NOWHERE };
