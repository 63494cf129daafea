'use strict';

// Owns the full-text index: building it piece by piece, again if asked, and answering queries from
// what there is so far. Does not know what runs besides it: the strategy decides when a piece runs.

const MiniSearch = require('minisearch');

const { createPacer, plainText } = require('./markdown');

// Adding this much text takes about a tenth of a millisecond.
const PIECE = 600;
const MAX_RESULTS = 30;

/** Cuts a text into short pieces, after a line or at least after a word. */
function* pieces(text) {
  for (let start = 0; start < text.length;) {
    let end = Math.min(start + PIECE, text.length);
    if (end < text.length) {
      const line = text.lastIndexOf('\n', end);
      const cut = line > start ? line : text.lastIndexOf(' ', end);
      if (cut > start) end = cut + 1;
    }
    yield text.slice(start, end);
    start = end;
  }
}

function createSearchIndex(documents, strategy) {
  let current = null;
  let added = 0;
  let running = null;
  let stopped = false;

  async function addDocument(index, doc) {
    const pacer = createPacer(strategy.pauseBackground);
    for (const section of doc.sections) {
      let first = true;
      for (const piece of pieces(section.source)) {
        if (pacer.due()) await pacer.pause();
        index.engine.add({
          id: index.nextId++,
          // Only once, or a long section would win by repeating its title.
          title: first ? `${doc.title} ${section.title}` : '',
          text: plainText(piece),
          url: section.depth === 0 ? doc.url : `${doc.url}#${section.slug}`,
          page: doc.title,
          section: section.title,
        });
        first = false;
      }
    }
    index.count += 1;
    added += 1;
  }

  async function build() {
    const engine = new MiniSearch({
      fields: ['title', 'text'],
      storeFields: ['url', 'page', 'section', 'text'],
      searchOptions: { boost: { title: 3 }, prefix: (term) => term.length > 2, combineWith: 'AND' },
    });
    const index = { engine, count: 0, nextId: 0 };
    // Until a first index is complete, searches use the growing one.
    if (current === null) current = index;
    for (const doc of documents) {
      if (stopped) return;
      await strategy.background(() => addDocument(index, doc));
    }
    current = index;
  }

  async function run(again) {
    do {
      await build();
    } while (again && !stopped);
  }

  return {
    /** Builds the index once, or again and again until stop(). */
    start(again) {
      stopped = false;
      running = run(again);
      return running;
    },
    async stop() {
      stopped = true;
      await running;
    },
    /** Documents added since the start, over all builds. */
    get added() {
      return added;
    },
    get count() {
      return current === null ? 0 : current.count;
    },
    search(query) {
      if (current === null) return [];
      const found = new Map();
      for (const hit of current.engine.search(query)) {
        if (found.size === MAX_RESULTS && !found.has(hit.url)) break;
        if (!found.has(hit.url)) found.set(hit.url, hit);
      }
      return [...found.values()];
    },
  };
}

module.exports = { createSearchIndex };
