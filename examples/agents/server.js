// Starts the gateway and its agents, and ends both when SIGTERM or SIGINT comes. The model is a
// stand-in: no network is asked.

import { startAgents } from './agents.js';
import { createGateway } from './gateway.js';
import { isPlain } from './scheduling.js';
import { counts } from './stand-ins.js';

const COUNT = Number(process.env.AGENTS ?? 4);
const PAUSE = Number(process.env.AGENTS_PAUSE ?? 1000);

const gateway = await createGateway();
const { url, tools } = await gateway.listen(process.env.PORT ?? 3000);
const endAgents = startAgents({ count: COUNT, pause: PAUSE, tools });
console.log(`${url}${isPlain ? ' (plain)' : 'scheduler'}; the model is a stand-in`);

async function end() {
  // They begin anew with the next process.
  endAgents();
  await gateway.end();
  console.log('ended:', counts);
}
process.once('SIGTERM', end);
process.once('SIGINT', end);
