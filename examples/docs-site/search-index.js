'use strict';

// Builds the full-text index piece by piece, and answers queries from the documents indexed so far.

const MiniSearch = require('minisearch');

const { plainText } = require('./markdown');

// Adding a piece of this length, cut after a word, takes about a tenth of a millisecond.
const PIECE = /[^]{1,600}(?:\s|$)|\S{600}/g;
const MOST_RESULTS = 30;

const createEngine = () => new MiniSearch({
  fields: ['title', 'text'],
  storeFields: ['url', 'page', 'section', 'text'],
  searchOptions: { boost: { title: 3 }, prefix: (term) => term.length > 2, combineWith: 'AND' },
});

class SearchIndex {
  #documents;
  #strategy;
  #current;
  #running;
  #isStopped = false;
  /** The documents added, and the milliseconds that this took, over all builds. */
  added = 0;
  busy = 0;

  constructor(documents, strategy) {
    this.#documents = documents;
    this.#strategy = strategy;
  }

  /** The number of documents that a search looks through. */
  get count() {
    return this.#current?.count ?? 0;
  }

  search(query) {
    const hits = this.#current?.engine.search(query) ?? [];
    return [...new Map(hits.map((hit) => [hit.url, hit])).values()].slice(0, MOST_RESULTS);
  }

  /** Builds it once, or again and again; `width` documents are added at once. */
  start({ again = false, width = 1 } = {}) {
    this.#isStopped = false;
    const all = this.#jobs(again);
    const work = async () => {
      for (const { doc, build } of all) {
        await this.#strategy.background(() => this.#add(build, doc), `index ${doc.url}`);
        if (this.#isStopped) return;
      }
    };
    this.#running = Promise.all(Array.from({ length: width }, work));
    return this.#running;
  }

  async stop() {
    this.#isStopped = true;
    await this.#running;
  }

  // With a greater width the next build begins while the last documents of one are added.
  * #jobs(again) {
    do {
      const build = { engine: createEngine(), count: 0, id: 0 };
      // Until a first index is complete, searches use the growing one.
      this.#current ??= build;
      for (const doc of this.#documents) yield { doc, build };
    } while (again && !this.#isStopped);
  }

  async #add(build, doc) {
    const pacer = this.#strategy.createPacer();
    for (const { title: section, slug, parts } of doc.sections) {
      // Only once: otherwise a long section would win by repeating its title.
      let title = `${doc.title} ${section}`;
      for (const [piece] of parts.join('').matchAll(PIECE)) {
        if (pacer.due()) await pacer.pause();
        if (this.#isStopped) return;
        const start = performance.now();
        const url = section === '' ? doc.url : `${doc.url}#${slug}`;
        build.engine.add({
          id: build.id++, title, text: plainText(piece), url, page: doc.title, section,
        });
        title = '';
        this.busy += performance.now() - start;
      }
    }
    this.added += 1;
    build.count += 1;
    if (build.count === this.#documents.length) this.#current = build;
  }
}

module.exports = { SearchIndex };
