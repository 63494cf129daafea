// Stands for what a gateway of your own has: code that computes, and a model on another server.
// The model here is no model, and uses no network: timers stream made-up tokens with the delays of
// a real one. Counts what is under way, and the turns that agents have taken, for /health.

import { setTimeout as sleep } from 'node:timers/promises';

// In ms.
const FIRST_TOKEN = Number(process.env.FIRST_TOKEN ?? 200);
const BETWEEN_TOKENS = Number(process.env.BETWEEN_TOKENS ?? 20);

export const counts = { sockets: 0, turns: 0, models: 0, tools: 0, compactions: 0, agentTurns: 0 };

// Blocks the thread for so many ms.
export function compute(ms) {
  for (const end = performance.now() + ms; performance.now() < end;);
}

// A model does not wait for its reader: tokens that come while this thread is blocked are there at
// once afterwards.
export async function* askModel({ signal, tokens, first = FIRST_TOKEN, between = BETWEEN_TOKENS }) {
  counts.models++;
  try {
    let due = performance.now() + first;
    for (let count = 0; count < tokens; count++, due += between) {
      const rest = due - performance.now();
      if (rest > 0) await sleep(rest, undefined, { signal });
      yield `token-${count} `;
    }
  } finally {
    counts.models--;
  }
}
