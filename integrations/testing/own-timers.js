'use strict';

// The timers of the package, and what it does in the next turn of the loop, on the clock of a test:
// see lib/loop/time.js. They keep no process alive.

class OwnTimers {
  // In the order in which they were set: callbacks with their times in nanoseconds.
  #timers = new Set();
  #turns = new Set();

  set(callback, time) {
    return this.#add(this.#timers, { callback, time });
  }

  setTurn(callback) {
    return this.#add(this.#turns, { callback });
  }

  #add(list, entry) {
    list.add(entry);
    const handle = { cancel: () => list.delete(entry), ref: () => handle, unref: () => handle };
    return handle;
  }

  // The time of the next timer; Infinity if there is none.
  get next() {
    let next = Infinity;
    for (const { time } of this.#timers) next = Math.min(next, time);
    return next;
  }

  get hasTurns() {
    return this.#turns.size > 0;
  }

  // Calls back the timers that are due by the time that `now()` returns.
  fire(now) {
    for (let next; (next = this.next) <= now();) {
      const entry = [...this.#timers].find(({ time }) => time === next);
      this.#timers.delete(entry);
      entry.callback();
    }
  }

  // Calls back what waits for this turn of the loop. Returns whether anything has.
  turn() {
    const turns = [...this.#turns];
    for (const entry of turns) if (this.#turns.delete(entry)) entry.callback();
    return turns.length > 0;
  }

  // The callbacks that are left.
  get left() {
    return [...this.#timers, ...this.#turns].map(({ callback }) => callback);
  }
}

module.exports = { OwnTimers };
