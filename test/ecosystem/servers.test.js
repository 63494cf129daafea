'use strict';

// `uv-scheduler/http` with frameworks for servers. servers/frameworks.js has a server with each.

const path = require('node:path');
const { LIMIT, assertOnEnds, run } = require('../helpers/loop.js');

const RUN = path.join(__dirname, 'servers', 'run.js');

const ANSWERED = 'not aborted, listeners: 3, 0';
const ABORTED = 'AbortError (ECONNRESET), listeners: 3, 0';

async function assertResults(framework, expected) {
  const result = { code: 0, signal: null, stdout: JSON.stringify(expected), stderr: '' };
  await assertOnEnds(result, (node) => run(node, [RUN, framework]));
}

describe('a request is aborted when its client leaves, and not when it is answered, with', () => {
  for (const framework of [
    'Express 5',
    'Fastify 5',
    'Fastify 5 with hijack()',
    'Koa 3',
    'Koa 3 with ctx.respond = false',
  ]) {
    it(framework, async () => {
      await assertResults(framework, ['answer', ANSWERED, 'body', ANSWERED, ABORTED]);
    });
  }

  it('Hono 4, by the signal of its request', async () => {
    const expected = ['answer', 'not aborted', 'body', 'not aborted', 'reason of the signal'];
    await assertResults('Hono 4', expected);
  });
});

describe('a request that needs no server is not aborted when it is answered, with', () => {
  it('Fastify 5 with inject()', async () => {
    await assertResults('Fastify 5 with inject()', ['answer', ANSWERED]);
  });
});

describe('an admitted request keeps its priority, and knows its client, behind', () => {
  const RUN_PARSERS = path.join(__dirname, 'servers', 'run-parsers.js');
  const expected = JSON.stringify(['5', '3', '1', 503, 'AbortError']);

  for (const parser of [
    'express.json()',
    'multer in memory',
    'multer on disk',
    "Fastify's parser",
    'koa-bodyparser',
    'Hono',
  ]) {
    it(parser, async () => {
      const result = { code: 0, signal: null, stdout: expected, stderr: '' };
      await assertOnEnds(result, (node) => run(node, [RUN_PARSERS, parser]));
    }).timeout(2 * LIMIT);
  }
});
