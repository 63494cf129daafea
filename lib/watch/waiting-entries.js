'use strict';

// What is known of the tasks and continuations of a context that wait, by id: when each was queued,
// or will be, and of continuations the rank and what they are labelled by. After a burst of tasks
// the ids in use can be far above 0. An array that is written far behind its end becomes slow, and
// filling up what is before would hold the thread, so there are pages, which are made when they are
// needed. The first ones remain for the next burst.

const PAGE_BITS = 10;
const PAGE_LENGTH = 2 ** PAGE_BITS;

// How many pages remain, which are 64 kilobytes.
const KEPT_PAGES = 8;

// What is known of continuations.
class Continuations {
  ranks = new Uint8Array(PAGE_LENGTH);
  sources = new Array(PAGE_LENGTH).fill(undefined);
}

class Page {
  times = new Float64Array(PAGE_LENGTH);
  // Undefined until the first one, as many programs only have tasks.
  continuations = undefined;
}

class WaitingEntries {
  #pages = [];

  // A task. `time` is in nanoseconds.
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

  // When it was queued, or will be; 0 if that is not known.
  timeOf(id) {
    return this.#page(id)?.times[placeOf(id)] ?? 0;
  }

  // The rank that a continuation was posted with; 0 if that is not known.
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

  // Releases the memory: nothing waits.
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
