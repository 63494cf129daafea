'use strict';

// The best that a single thread can do for the mean of all pages: it knows what each page takes,
// and always works at the one that has the least left (shortest remaining processing time). It
// changes pages at any time, and nothing costs it anything.

/** A heap of pages { index, left }, the one with the least left first. */
class Pages {
  #heap = [];

  get size() {
    return this.#heap.length;
  }

  get first() {
    return this.#heap[0];
  }

  push(page) {
    const heap = this.#heap;
    let place = heap.push(page) - 1;
    for (; place > 0; place = (place - 1) >> 1) {
      const parent = heap[(place - 1) >> 1];
      if (parent.left <= page.left) break;
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
      if (child + 1 < heap.length && heap[child + 1].left < heap[child].left) child++;
      if (child >= heap.length || heap[child].left >= last.left) break;
      heap[place] = heap[child];
      place = child;
    }
    heap[place] = last;
  }
}

/**
 * Serves visitors { time, name } in the order of their times; `workOf(name)` is the time that a
 * page takes. Returns for each one how long it took until the page was complete, all in ms.
 */
function serveIdeally(visitors, workOf) {
  const times = new Array(visitors.length);
  const pages = new Pages();
  let now = 0;
  const workUntil = (end) => {
    while (pages.size > 0) {
      const page = pages.first;
      // It stays the first one while it gets shorter.
      if (now + page.left > end) {
        page.left -= end - now;
        break;
      }
      now += page.left;
      times[page.index] = now - visitors[page.index].time;
      pages.shift();
    }
    now = end;
  };
  for (const [index, { time, name }] of visitors.entries()) {
    workUntil(time);
    pages.push({ index, left: workOf(name) });
  }
  workUntil(Infinity);
  return times;
}

module.exports = { serveIdeally };
