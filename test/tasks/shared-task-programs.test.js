'use strict';

// Random programs of joins, leaves, priority changes, errors, aborted runs, nested shared tasks and
// cycles, against a model. SCENARIO_SEED and SCENARIO_COUNT choose others.

const fc = require('fast-check');
const { onIdle } = require('../..');
const { program } = require('../fixtures/shared-tasks/arbitraries.js');
const { Program } = require('../fixtures/shared-tasks/program.js');

const COUNT = Number(process.env.SCENARIO_COUNT ?? 300);
const SEED = Number(process.env.SCENARIO_SEED ?? 2026);

describe('random programs of shared tasks', () => {
  beforeEach(() => onIdle());

  it('settle each join once, with the highest priority at every moment', async () => {
    await fc.assert(fc.asyncProperty(program, (each) => new Program(each).run(each.body)), {
      seed: SEED, numRuns: COUNT,
    });
  }).timeout(30_000 + 100 * COUNT);
});
