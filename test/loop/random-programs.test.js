'use strict';

// Random programs on the real loop, on every Node version, against a model of the contract. The
// seed is fixed, so that it is the same programs each time; `npm run check fuzz` tries others.
// @lane slow
// @host programs each-node

const assert = require('node:assert/strict');
const { LIMIT, mapSome, nodes } = require('../helpers/loop.js');
const {
  describe: describeFailure, runBatch, runMix, split,
} = require('../random-programs/batch.js');

const SEED = 1;
const COUNT = 300;

describe('random programs', () => {
  for (const node of nodes) {
    it(`keep the contract on Node ${node.major}`, async () => {
      const batches = split({ seed: SEED, count: COUNT, nodes: [node] });
      const failures = (await mapSome(batches, runBatch)).flatMap((sum) => sum.failures);
      assert.equal(failures.length, 0, failures.map(describeFailure).join('\n\n'));
    }).timeout(4 * LIMIT);

    it(`that share, key, abort and drain are counted exactly on Node ${node.major}`, async () => {
      assert.equal(await runMix({ node, seed: SEED, first: 0, count: COUNT }), '');
    }).timeout(LIMIT);
  }
});
