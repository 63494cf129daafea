'use strict';

// The gateway of examples/agents, with the package or plain.

const { spin } = require('../harness/spin');

const NAMES = { plain: 'plain', package: 'uv-scheduler' };

// Their model answers soon, so that they fill the process.
const AGENTS = { pause: 0, tokens: 5, documents: 40, model: { first: 5, between: 0 } };

// Calls back as a recurring callback does, with a pause behind each.
function recur(length) {
  spin(length);
  setTimeout(recur, 1, length);
}

// `recurring` is how long a callback recurs, in ms. The work of the server are turns of agents.
async function createContender({ contender, agents: count, recurring }) {
  if (contender === 'plain') process.env.PLAIN = '1';
  const { createGateway } = await import('../../examples/agents/gateway.js');
  const { startAgents } = await import('../../examples/agents/agents.js');
  const { counts } = await import('../../examples/agents/stand-ins.js');
  const gateway = await createGateway();
  const { tools } = await gateway.listen(0);
  startAgents({ ...AGENTS, count, tools });
  if (recurring > 0) recur(recurring);
  Object.defineProperty(gateway.server, 'work', { get: () => counts.agentTurns });
  return gateway.server;
}

module.exports = { NAMES, createContender };
