'use strict';

// The best that a single thread can do for the mean of all pages: it knows what each page takes,
// and works at the one that has the least left (shortest remaining processing time). Like the
// servers, it changes pages only between two pieces, but that costs it nothing.

const leftOf = ({ pieces, ms }) => pieces * ms;

const isBefore = (a, b) => leftOf(a) < leftOf(b) || leftOf(a) === leftOf(b) && a.index < b.index;

/** A heap of pages { index, pieces, ms }, the one with the least left first. */
class Pages {
  #heap = [];

  get first() {
    return this.#heap[0];
  }

  push(page) {
    const heap = this.#heap;
    let place = heap.push(page) - 1;
    for (; place > 0; place = (place - 1) >> 1) {
      const parent = heap[(place - 1) >> 1];
      if (isBefore(parent, page)) break;
      heap[place] = parent;
    }
    heap[place] = page;
  }

  shift() {
    const heap = this.#heap;
    const last = heap.pop();
    if (heap.length === 0) return;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child + 1 < heap.length && isBefore(heap[child + 1], heap[child])) child++;
      if (child >= heap.length || isBefore(last, heap[child])) break;
      heap[place] = heap[child];
      place = child;
    }
    heap[place] = last;
  }
}

/**
 * Serves visitors { time, name } in the order of their times; `kindOf(name)` has the `count` of the
 * pieces of a page, and the `ms` that each takes. Returns for each visitor how long it took until
 * the page was complete, in ms.
 */
function serveIdeally(visitors, kindOf) {
  const times = new Array(visitors.length);
  const pages = new Pages();
  let arrived = 0;
  let now = 0;
  for (;;) {
    for (; arrived < visitors.length && visitors[arrived].time <= now; arrived++) {
      const { count, ms } = kindOf(visitors[arrived].name);
      pages.push({ index: arrived, pieces: count, ms });
    }
    const next = visitors[arrived]?.time ?? Infinity;
    const page = pages.first;
    if (page === undefined) {
      if (next === Infinity) return times;
      now = next;
      continue;
    }
    // It stays the first one while it gets shorter, until another one arrives.
    const pieces = Math.min(page.pieces, Math.max(1, Math.ceil((next - now) / page.ms)));
    now += pieces * page.ms;
    page.pieces -= pieces;
    if (page.pieces > 0) continue;
    times[page.index] = now - visitors[page.index].time;
    pages.shift();
  }
}

module.exports = { serveIdeally };
