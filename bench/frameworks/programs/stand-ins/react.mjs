// Stands for uv-scheduler/react in an example that is measured without.

import variant from '../variant.js';

// Each section is rendered a turn of the loop after the one before.
let turn = Promise.resolve();
async function InTurns({ children }) {
  turn = turn.then(variant.scheduler.yield);
  await turn;
  return children;
}

export const Scheduled = variant.isPlain ? ({ children }) => children : InTurns;
