'use strict';

// For how long background work was held although the loop was idle, and for what: the container's
// quota or other processes. Each context of the thread counts for itself. If several hold work at
// the same time, the one that has held most counts: so it is never more than the time that has
// passed.

const { shared } = require('./channels.js');

// By the index of what the binding gives for each, in nanoseconds. The reason of a hold under way
// follows: 0 for none, else an index and 1.
const REASONS = ['container', 'machine'];

function readAll() {
  return shared.contexts.map(({ readHeld }) => readHeld());
}

// Why background work is held now; null if it is not.
function heldFor() {
  return reasonIn(readAll());
}

function reasonIn(all) {
  const reason = Math.max(0, ...all.map((held) => held[REASONS.length]));
  return REASONS[reason - 1] ?? null;
}

// Measures from its construction on.
class HeldTime {
  #before = readAll();

  // Nanoseconds by reason, those of a hold under way included, and why work is held now.
  read() {
    const all = readAll();
    const times = {};
    REASONS.forEach((reason, i) => {
      // A context that was loaded since then began at 0.
      const grown = all.map((held, context) => held[i] - (this.#before[context]?.[i] ?? 0));
      times[reason] = Math.max(0, ...grown);
    });
    return { times, heldFor: reasonIn(all) };
  }
}

module.exports = { HeldTime, REASONS, heldFor };
