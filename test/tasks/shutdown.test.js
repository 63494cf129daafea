'use strict';

// A server that drains: no request and no task is lost. `npm run check soak` does it 100 times.

const { assertOnEachNode } = require('../helpers/loop.js');
const { losses, shutDown } = require('../helpers/shutdown.js');

describe('a server under load that drains at SIGTERM', () => {
  it('answers all that it has accepted, runs or rejects every task once, and ends', async () => {
    await assertOnEachNode([], async (node) => losses(await shutDown(node, 20)), { times: 2 });
  }).timeout(120_000);
});
