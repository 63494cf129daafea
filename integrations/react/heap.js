'use strict';

// A heap of objects, with the least one by `isBefore` at the top. An object is in one heap at most,
// and has its position there in `place`.

const NOWHERE = -1;

class Heap {
  #items = [];
  #isBefore;

  constructor(isBefore) {
    this.#isBefore = isBefore;
  }

  get size() {
    return this.#items.length;
  }

  get first() {
    return this.#items[0];
  }

  at(place) {
    return this.#items[place];
  }

  add(item) {
    item.place = this.#items.push(item) - 1;
    this.update(item);
  }

  // Does nothing if the item is not in the heap.
  remove(item) {
    const { place } = item;
    if (place === NOWHERE) return;
    item.place = NOWHERE;
    const last = this.#items.pop();
    if (last === item) return;
    this.#put(last, place);
    this.update(last);
  }

  // The order of the item has changed.
  update(item) {
    const items = this.#items;
    let { place } = item;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!this.#isBefore(item, items[parent])) break;
      this.#put(items[parent], place);
      place = parent;
    }
    for (let child; (child = 2 * place + 1) < items.length; place = child) {
      const right = child + 1;
      if (right < items.length && this.#isBefore(items[right], items[child])) child = right;
      if (!this.#isBefore(items[child], item)) break;
      this.#put(items[child], place);
    }
    this.#put(item, place);
  }

  #put(item, place) {
    this.#items[place] = item;
    item.place = place;
  }
}

module.exports = { Heap, NOWHERE };
