'use strict';

// The signals that follow the priority of one signal, in the order of their creation. The set
// refers to them weakly, except to the ones passed to keep().

// Removes collected signals from their sets. The registry refers to the sets, never to the signals.
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

  // Keeps a signal alive while `isNeeded(signal)`. Listeners can also vanish without a call here
  // (`once`), so all kept signals are checked again from time to time.
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
