'use strict';

// `uv-scheduler/http` with frameworks for servers and their body parsers. servers/run.js has a
// server with each.
// @host newest faulty

const path = require('node:path');
const { LIMIT, assertOnEnds, run } = require('../helpers/loop.js');

const RUN = path.join(__dirname, 'servers', 'run.js');

const OF_RESPONSE = [
  'answer', 'not aborted, listeners: 3, 0', 'AbortError (ECONNRESET), listeners: 3, 0',
];
const OF_SIGNAL = ['answer', 'not aborted', 'reason of the signal'];

describe('a request is aborted when its client leaves, and not when it is answered', () => {
  for (const [server, plain] of Object.entries({
    'express.json()': OF_RESPONSE,
    "Fastify's parser": OF_RESPONSE,
    'koa-bodyparser': OF_RESPONSE,
    'Hono': OF_SIGNAL,
  })) {
    it(`and keeps its priority behind an admission: ${server}`, async () => {
      const stdout = JSON.stringify({ plain, admitted: ['5', '3', '1', 503, 'AbortError'] });
      const expected = { code: 0, signal: null, stdout, stderr: '' };
      await assertOnEnds(expected, (node) => run(node, [RUN, server]));
    }).timeout(2 * LIMIT);
  }
});
