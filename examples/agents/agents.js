// Agents as cron starts them: no visitor waits for their turns, which end by end() alone.

import { setTimeout as sleep } from 'node:timers/promises';
import { controllerFor, pieces, scheduler } from './scheduling.js';
import { Session } from './session.js';
import { compute, counts } from './stand-ins.js';
import { CRON, keyOf } from './tenants.js';

// The stages in which an agent works on an answer, in ms.
const STAGES = Array(9).fill(0.25);

// Awaits a model, and computes. Code behind an await runs in the callback of its I/O, as no task,
// whatever its priority and its key. Behind the yield() it is a task again.
async function takeTurn(session, { signal, ...settings }) {
  let answer = '';
  for await (const token of session.answer('what is new?', { signal, ...settings })) {
    answer += token;
  }
  await scheduler.yield({ signal, priority: 'inherit' });
  for await (const ms of pieces(STAGES, { signal })) compute(ms);
  return answer;
}

// `pause` is the time between two turns of an agent, in ms. Returns a function that ends them.
export function startAgents({ count, pause, tools, ...settings }) {
  const ended = new AbortController();
  const turns = new Set();

  async function run() {
    const session = new Session({ tenant: CRON, signal: ended.signal, tools });
    while (!ended.signal.aborted) {
      // Each turn is a request of its own. AbortSignal.any() of a signal that lives as long as the
      // process would keep some memory for each of them.
      const turn = controllerFor(new AbortController().signal, keyOf(CRON));
      turns.add(turn);
      const { signal } = turn;
      try {
        const agentTurn = () => takeTurn(session, { signal, ...settings });
        await scheduler.postTask(agentTurn, { signal });
        counts.agentTurns++;
        session.compactLater();
      } catch (error) {
        if (!signal.aborted) console.error(error);
      } finally {
        turns.delete(turn);
      }
      await sleep(pause, undefined, { ref: false });
    }
  }

  for (let i = 0; i < count; i++) run();
  return () => {
    ended.abort();
    for (const turn of turns) turn.abort();
  };
}
