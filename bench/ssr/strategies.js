'use strict';

// The ways of sharing the thread that are compared, with the interface of the site's own one: they
// only decide when a piece of work runs; the pieces are the same for all.

const prioritized = require('../../examples/docs-site/strategy');

const nextImmediate = () => new Promise((resolve) => setImmediate(resolve));

// Works like most programs: it renders the whole page in one go, and rebuilds the index document by
// document with a turn of the loop between them, like a loop that awaits the reading of each file.
const unchunked = {
  name: 'no chunking',
  isSectionTask: false,
  async render(fn, { signal }) {
    signal.throwIfAborted();
    return fn();
  },
  async background(fn) {
    await nextImmediate();
    return fn();
  },
  createPacer: () => ({ due: () => false }),
};

// The time in ms of a piece of rendering or indexing. A request that arrives meanwhile waits for
// half of it on average, which should be little compared to a page.
const CHUNK = 0.25;

// The usual way to stay responsive: every piece is a separate immediate. All immediates are equal,
// so the index takes turns with the pages. More immediates get a page more turns, so each section
// has its own.
const immediate = {
  name: 'setImmediate',
  isSectionTask: true,
  async render(fn, { signal }) {
    await nextImmediate();
    signal.throwIfAborted();
    return fn();
  },
  background: unchunked.background,
  createPacer() {
    let start = performance.now();
    return {
      due: () => performance.now() - start >= CHUNK,
      async pause() {
        await nextImmediate();
        start = performance.now();
      },
    };
  },
};

module.exports = { immediate, prioritized, unchunked };
