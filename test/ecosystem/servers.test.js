'use strict';

// `uv-scheduler/http` with frameworks for servers and their body parsers. servers/servers.js has a
// server with each.

const path = require('node:path');
const { LIMIT, assertOnEnds, run } = require('../helpers/loop.js');

const RUN = path.join(__dirname, 'servers', 'run.js');

const OF_RESPONSE = [
  'answer', 'not aborted, listeners: 3, 0', 'AbortError (ECONNRESET), listeners: 3, 0',
];
const OF_SIGNAL = ['answer', 'not aborted', 'reason of the signal'];

async function assertPrints(args, expected) {
  const result = { code: 0, signal: null, stdout: JSON.stringify(expected), stderr: '' };
  await assertOnEnds(result, (node) => run(node, [RUN, ...args]));
}

describe('a request is aborted when its client leaves, and not when it is answered', () => {
  for (const [server, plain] of Object.entries({
    'express.json()': OF_RESPONSE,
    'multer in memory': OF_RESPONSE,
    'multer on disk': OF_RESPONSE,
    "Fastify's parser": OF_RESPONSE,
    'koa-bodyparser': OF_RESPONSE,
    'Hono': OF_SIGNAL,
  })) {
    const title = 'and keeps its priority behind an admission';
    it(`${title}: ${server}`, async () => {
      const admitted = ['5', '3', '1', 503, 'AbortError'];
      await assertPrints([server], { plain, admitted });
    }).timeout(2 * LIMIT);
  }

  it('by Fastify’s inject(), which needs no server', async () => {
    await assertPrints([], { plain: OF_RESPONSE.slice(0, 2) });
  });
});
