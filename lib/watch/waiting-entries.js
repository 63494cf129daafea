'use strict';

// What is known of the tasks and continuations of a context that wait, by id: when each was queued,
// or will be, and what continuations are labelled by. After a burst of tasks the ids in use can be
// far above 0. An array that is written far behind its end becomes slow, and filling up what is
// before would hold the thread, so there are pages, which are made when they are needed.

const PAGE_BITS = 10;
const PAGE_LENGTH = 2 ** PAGE_BITS;

class Page {
  ranks = new Uint8Array(PAGE_LENGTH);
  times = new Float64Array(PAGE_LENGTH);
  sources = new Array(PAGE_LENGTH).fill(undefined);
}

class WaitingEntries {
  #pages = [];

  // `time` is in nanoseconds.
  add(id, rank, time, source) {
    const page = this.#page(id) ?? this.#addPage(id);
    const place = placeOf(id);
    page.ranks[place] = rank;
    page.times[place] = time;
    page.sources[place] = source;
  }

  // When it was queued, or will be; 0 if that is not known.
  timeOf(id) {
    return this.#page(id)?.times[placeOf(id)] ?? 0;
  }

  // The rank that it was posted with; 0 if that is not known.
  rankOf(id) {
    return this.#page(id)?.ranks[placeOf(id)] ?? 0;
  }

  takeSource(id) {
    const page = this.#page(id);
    if (page === undefined) return undefined;
    const place = placeOf(id);
    const source = page.sources[place];
    if (source !== undefined) page.sources[place] = undefined;
    return source;
  }

  // Releases the memory: nothing waits.
  clear() {
    this.#pages = [];
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
