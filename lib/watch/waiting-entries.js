'use strict';

// The waiting tasks and continuations of a context, by id: the time when each was or will be
// queued, and for continuations the rank and the source of the label. After a burst of tasks the
// ids in use can be far above 0. An array that is written far behind its end becomes slow, and
// filling the gap would block the thread, so entries are in pages, created on demand. The first
// pages are kept for the next burst.

const PAGE_BITS = 10;
const PAGE_LENGTH = 2 ** PAGE_BITS;

// The number of pages that are kept: 64 kilobytes.
const KEPT_PAGES = 8;

// The data of continuations.
class Continuations {
  ranks = new Uint8Array(PAGE_LENGTH);
  sources = new Array(PAGE_LENGTH).fill(undefined);
}

class Page {
  times = new Float64Array(PAGE_LENGTH);
  // Undefined until the first continuation, as many programs only have tasks.
  continuations = undefined;
}

class WaitingEntries {
  #pages = [];

  // Adds a task. `time` is in nanoseconds.
  add(id, time) {
    const page = this.#page(id) ?? this.#addPage(id);
    page.times[placeOf(id)] = time;
  }

  addContinuation(id, rank, time, source) {
    const page = this.#page(id) ?? this.#addPage(id);
    const place = placeOf(id);
    page.times[place] = time;
    const continuations = page.continuations ??= new Continuations();
    continuations.ranks[place] = rank;
    continuations.sources[place] = source;
  }

  // The time when it was or will be queued; 0 if unknown.
  timeOf(id) {
    return this.#page(id)?.times[placeOf(id)] ?? 0;
  }

  // The rank with which a continuation was posted; 0 if unknown.
  rankOf(id) {
    return this.#page(id)?.continuations?.ranks[placeOf(id)] ?? 0;
  }

  takeSource(id) {
    const continuations = this.#page(id)?.continuations;
    if (continuations === undefined) return undefined;
    const place = placeOf(id);
    const source = continuations.sources[place];
    if (source !== undefined) continuations.sources[place] = undefined;
    return source;
  }

  // Releases the memory when no entry waits.
  clear() {
    const pages = this.#pages;
    pages.length = Math.min(pages.length, KEPT_PAGES);
    for (const page of pages) {
      page?.times.fill(0);
      if (page !== undefined) page.continuations = undefined;
    }
  }

  #page(id) {
    const index = id >>> PAGE_BITS;
    return index < this.#pages.length ? this.#pages[index] : undefined;
  }

  #addPage(id) {
    const index = id >>> PAGE_BITS;
    while (this.#pages.length <= index) this.#pages.push(undefined);
    return this.#pages[index] = new Page();
  }
}

function placeOf(id) {
  return id & PAGE_LENGTH - 1;
}

module.exports = { WaitingEntries };
