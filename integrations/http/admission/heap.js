'use strict';

// A binary heap: push() and remove() take a time logarithmic in its size. Sets `place` of
// its entries: the index in the heap, or -1 outside of it.

class Heap {
  #entries = [];
  #isBefore;

  // `isBefore(a, b)` may change for an entry only while the entry is outside.
  constructor(isBefore) {
    this.#isBefore = isBefore;
  }

  // The first entry; undefined if there is none.
  get first() {
    return this.#entries[0];
  }

  push(entry) {
    this.#entries.push(entry);
    this.#rise(entry, this.#entries.length - 1);
  }

  remove(entry) {
    const { place } = entry;
    entry.place = -1;
    const last = this.#entries.pop();
    if (last === entry) return;
    const parent = this.#entries[(place - 1) >> 1];
    if (place > 0 && this.#isBefore(last, parent)) this.#rise(last, place);
    else this.#sink(last, place);
  }

  #rise(entry, from) {
    let place = from;
    while (place > 0) {
      const above = (place - 1) >> 1;
      const parent = this.#entries[above];
      if (!this.#isBefore(entry, parent)) break;
      this.#put(parent, place);
      place = above;
    }
    this.#put(entry, place);
  }

  #sink(entry, from) {
    let place = from;
    for (;;) {
      let below = 2 * place + 1;
      const left = this.#entries[below];
      if (left === undefined) break;
      const right = this.#entries[below + 1];
      if (right !== undefined && this.#isBefore(right, left)) below++;
      const child = this.#entries[below];
      if (!this.#isBefore(child, entry)) break;
      this.#put(child, place);
      place = below;
    }
    this.#put(entry, place);
  }

  #put(entry, place) {
    this.#entries[place] = entry;
    entry.place = place;
  }
}

module.exports = { Heap };
