'use strict';

// Random programs of joins, leaves, priority changes, errors, aborted runs, nested shared tasks and
// cycles on the real loop, on every Node version, against a model. They are the same each time;
// SCENARIO_SEED and SCENARIO_COUNT choose others.

const path = require('node:path');
const { FIXTURES, LIMIT, assertOnEachNode, run } = require('../helpers/loop.js');

const COUNT = Number(process.env.SCENARIO_COUNT ?? 500);
const SEED = Number(process.env.SCENARIO_SEED ?? 2026);

const PROGRAM = path.join(FIXTURES, 'shared-tasks', 'run.js');

// The default count takes seconds.
const TIMEOUT = Math.max(LIMIT, 100 * COUNT);

describe('random programs of shared tasks', () => {
  it('settle each join once, with the highest priority at every moment @binding', async () => {
    const args = [PROGRAM, String(SEED), String(COUNT)];
    const expected = { code: 0, signal: null, stdout: `${COUNT} programs\n`, stderr: '' };
    await assertOnEachNode(expected, (node) => run(node, args, { timeout: TIMEOUT }));
  }).timeout(4 * TIMEOUT);
});
