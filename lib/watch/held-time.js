'use strict';

// The time for which background work was held although the loop was idle, by reason: the
// container's quota or other processes. Each context of the thread counts separately. The maximum
// of all contexts is used, so that the time never exceeds the elapsed time.

const { contexts } = require('./channels.js');

// The index is the position in the binding's result, in nanoseconds. After these comes the reason
// of a current hold: 0 for none, otherwise an index plus 1.
const REASONS = ['container', 'machine'];

function readAll() {
  return contexts().map((context) => [context, context.readHeld()]);
}

// The reason why background work is held now; null if it is not.
function heldFor() {
  return reasonIn(readAll());
}

function reasonIn(all) {
  const reason = Math.max(0, ...all.map(([, held]) => held[REASONS.length]));
  return REASONS[reason - 1] ?? null;
}

// Measures from its creation on.
class HeldTime {
  #before = new WeakMap(readAll());
  #times = Object.fromEntries(REASONS.map((reason) => [reason, 0]));

  // Nanoseconds by reason, including a current hold, and the current reason.
  read() {
    const all = readAll();
    REASONS.forEach((reason, i) => {
      // A context that was loaded later began at 0. The one with the most may have been collected.
      const grown = all.map(([context, held]) => held[i] - (this.#before.get(context)?.[i] ?? 0));
      this.#times[reason] = Math.max(this.#times[reason], ...grown);
    });
    return { times: { ...this.#times }, heldFor: reasonIn(all) };
  }
}

module.exports = { HeldTime, REASONS, heldFor };
