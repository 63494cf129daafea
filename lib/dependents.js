'use strict';

// The signals that follow one signal's priority, in the order they were made. Owns how long they
// live: as long as somebody else holds them, and those that are kept as long as this set. Knows
// nothing of priorities.

// Takes the dead out of their sets. It holds the sets, never the signals.
const registry = new FinalizationRegistry(({ references, reference }) => {
  references.delete(reference);
});

const FIRST_SWEEP = 32;

class Dependents {
  #references = new Set();
  #kept = new Set();
  #sweepAt = FIRST_SWEEP;

  add(signal) {
    const reference = new WeakRef(signal);
    this.#references.add(reference);
    registry.register(signal, { references: this.#references, reference });
  }

  // Keeps a signal alive while `isNeeded(signal)`. Listeners can also go without a call (`once`),
  // so those that are kept are all asked again now and then.
  keep(signal, isNeeded) {
    if (!isNeeded(signal)) {
      this.#kept.delete(signal);
      return;
    }
    this.#kept.add(signal);
    if (this.#kept.size < this.#sweepAt) return;
    for (const each of this.#kept) {
      if (!isNeeded(each)) this.#kept.delete(each);
    }
    this.#sweepAt = Math.max(FIRST_SWEEP, 2 * this.#kept.size);
  }

  list() {
    const signals = [];
    for (const reference of this.#references) {
      const signal = reference.deref();
      if (signal !== undefined) signals.push(signal);
    }
    return signals;
  }
}

module.exports = { Dependents };
