'use strict';

// Builds the full-text index piece by piece, repeatedly if asked, and answers queries from the
// documents indexed so far. The strategy decides when a piece runs.

const MiniSearch = require('minisearch');

const { plainText } = require('./markdown');
const { createMeteredPacer } = require('./pacer');

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
  let busy = 0;
  let running = null;
  let stopped = false;

  async function addDocument(index, doc) {
    const pacer = createMeteredPacer(strategy.createBackgroundPacer(), (ms) => {
      busy += ms;
    });
    for (const section of doc.sections) {
      let first = true;
      for (const piece of pieces(section.source)) {
        if (pacer.due()) await pacer.pause();
        if (stopped) return;
        index.engine.add({
          id: index.nextId++,
          // Only once: otherwise a long section would win by repeating its title.
          title: first ? `${doc.title} ${section.title}` : '',
          text: plainText(piece),
          url: section.depth === 0 ? doc.url : `${doc.url}#${section.slug}`,
          page: doc.title,
          section: section.title,
        });
        first = false;
      }
    }
    pacer.end();
    added += 1;
    index.count += 1;
    if (index.count === documents.length) current = index;
  }

  function createBuild() {
    const engine = new MiniSearch({
      fields: ['title', 'text'],
      storeFields: ['url', 'page', 'section', 'text'],
      searchOptions: { boost: { title: 3 }, prefix: (term) => term.length > 2, combineWith: 'AND' },
    });
    const index = { engine, count: 0, nextId: 0 };
    // Until a first index is complete, searches use the growing one.
    if (current === null) current = index;
    return { index, rest: documents.values() };
  }

  async function run(again, width) {
    let build = createBuild();
    // With several workers the next build begins while the last documents of one are added.
    const next = () => {
      const { value: doc, done } = build.rest.next();
      if (!done) return { index: build.index, doc };
      if (!again) return null;
      build = createBuild();
      return next();
    };
    const worker = async () => {
      while (!stopped) {
        const job = next();
        if (job === null) return;
        await strategy.background(() => addDocument(job.index, job.doc), `index ${job.doc.url}`);
      }
    };
    await Promise.all(Array.from({ length: width }, worker));
  }

  return {
    /**
     * Builds the index once, or again and again until stop(); `width` is the number of documents
     * that are added at once.
     */
    start({ again = false, width = 1 } = {}) {
      stopped = false;
      running = run(again, width);
      return running;
    },
    async stop() {
      stopped = true;
      await running;
    },
    /** The milliseconds that adding has held the thread since the start, over all builds. */
    get busy() {
      return busy;
    },
    /** The number of documents added since the start, over all builds. */
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
