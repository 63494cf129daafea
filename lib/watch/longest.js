'use strict';

// The slowest callbacks of a monitor: of all time, or within a window that ends now. Times are in
// nanoseconds.
//
// A window is divided into slices, and each slice keeps its slowest callbacks. So all shown
// callbacks are in the window. Only in the oldest slice, slower callbacks that have left the window
// can hide others.

const { labelOf } = require('./message.js');

// The maximum number of shown callbacks.
const MOST = 10;

const SLICES = 16;

class Longest {
  #window;
  // The callbacks of each slice, the slowest first; the newest slice last.
  #slices;
  // The minimum duration for an entry in the newest slice, and the end of that slice.
  #threshold;
  #end;

  // `window` can be Infinity.
  constructor(window) {
    this.#window = window;
    this.reset();
  }

  reset() {
    this.#slices = [];
    this.#threshold = 0;
    this.#end = -Infinity;
  }

  // A callback has ended.
  record(source, priority, startedAt, endedAt) {
    const duration = endedAt - startedAt;
    if (duration > this.#threshold || endedAt >= this.#end) {
      this.#note(source, priority, startedAt, endedAt);
    }
  }

  #note(source, priority, startedAt, endedAt) {
    if (endedAt >= this.#end) this.#beginSlice(endedAt);
    const duration = endedAt - startedAt;
    const entries = this.#slices.at(-1);
    const index = entries.findIndex((each) => each.duration < duration);
    const entry = { label: labelOf(source), priority, startedAt, endedAt, duration };
    entries.splice(index === -1 ? entries.length : index, 0, entry);
    entries.length = Math.min(entries.length, MOST);
    if (entries.length === MOST) this.#threshold = entries.at(-1).duration;
  }

  #beginSlice(now) {
    this.#end = now + this.#window / SLICES;
    this.#threshold = 0;
    // Keeps one more slice, as the oldest can still overlap the window.
    this.#slices = [...this.#slices.slice(-SLICES), []];
  }

  // The slowest first.
  read(now) {
    return this.#slices.flat()
      .filter(({ endedAt }) => now - endedAt < this.#window)
      .sort((one, other) => other.duration - one.duration)
      .slice(0, MOST);
  }
}

module.exports = { Longest };
