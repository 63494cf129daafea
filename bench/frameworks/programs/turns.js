'use strict';

// Turns, for renderers that call all parts of a page in one go: each part awaits its turn.

const { pieces } = require('./variant.js');

const never = () => new Promise(() => {});

// After an abort no turn comes any more: renderers would make an error of each part that is
// missing, in one go, and some would take the page for complete.
function createTurns(items) {
  const turns = pieces(items);
  return { next: () => turns.next().catch(never) };
}

// So the page itself ends at the abort. Its parts are garbage then.
function untilAborted(page, signal) {
  const aborted = new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  return Promise.race([page, aborted]);
}

module.exports = { createTurns, untilAborted };
