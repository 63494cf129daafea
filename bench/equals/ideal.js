'use strict';

// The best that a single thread can do for the mean of all pages: it knows what each page takes,
// and works at the one that has the least left (shortest remaining processing time). Like the
// servers, it changes pages only between two pieces, but that costs it nothing.

const leftOf = ({ begin, pieces, ms }) => begin + pieces * ms;

const isBefore = (a, b) => leftOf(a) < leftOf(b) || leftOf(a) === leftOf(b) && a.index < b.index;

// Serves visitors { time, name } in the order of their times; `kindOf(name)` has the `count` of the
// pieces of a page, and the `ms` that each takes. Before its first piece, a page takes `cost` ms.
// Returns for each visitor how long it took until the page was complete, in ms.
function serveIdeally(visitors, kindOf, cost = 0) {
  const times = new Array(visitors.length);
  const pages = new Set();
  let arrived = 0;
  let now = 0;
  for (;;) {
    for (; arrived < visitors.length && visitors[arrived].time <= now; arrived++) {
      const { count, ms } = kindOf(visitors[arrived].name);
      pages.add({ index: arrived, begin: cost, pieces: count, ms });
    }
    const next = visitors[arrived]?.time ?? Infinity;
    if (pages.size === 0) {
      if (next === Infinity) return times;
      now = next;
      continue;
    }
    const page = [...pages].reduce((best, each) => (isBefore(each, best) ? each : best));
    now += page.begin;
    page.begin = 0;
    // It stays the first one while it gets shorter, until another one arrives.
    const pieces = Math.min(page.pieces, Math.max(1, Math.ceil((next - now) / page.ms)));
    now += pieces * page.ms;
    page.pieces -= pieces;
    if (page.pieces > 0) continue;
    times[page.index] = now - visitors[page.index].time;
    pages.delete(page);
  }
}

module.exports = { serveIdeally };
