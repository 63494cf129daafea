'use strict';

// An IdleWorker does what a Worker of BullMQ does: random scenarios, run by both on a real Redis,
// with each version of BullMQ. They are the same each time; SCENARIO_SEED and SCENARIO_COUNT choose
// others.

const assert = require('node:assert/strict');
const { once } = require('node:events');
const { describeEach } = require('./bullmq');
const { sample } = require('./bullmq/scenarios.js');

const COUNT = Number(process.env.SCENARIO_COUNT ?? 40);
const SEED = Number(process.env.SCENARIO_SEED ?? 2026);

// How many run at once in a process.
const AT_ONCE = 10;

// The milliseconds after which a scenario ends in any case.
const LIMIT = 30_000;

// The time that a scenario may take longer with an IdleWorker: one poll (`drainDelay`), and the
// time that a busy machine takes from one of two processes. Scenarios that run at once may delay
// each other, so a scenario that takes longer runs again alone.
const ONE_POLL = 1_000;
const NOISE = 1_000;
const REPETITIONS = 2;

const isSlow = ([expected, actual]) =>
  actual.milliseconds > 2 * expected.milliseconds + ONE_POLL + NOISE;

// A Worker of BullMQ whose job stalls has not renewed its lock in time: the machine stood still.
const isDisturbed = ([expected]) => expected.troubles.length > 0;

// The faults in the outcome for an IdleWorker, apart from its time.
function faultsOf({ globalConcurrency: most }, [expected, { troubles, jobs, mostActive }]) {
  const found = [...troubles];
  if (most > 0 && mostActive > most) found.push(`${mostActive} jobs ran at once`);
  jobs.forEach((job, i) => {
    try {
      assert.deepEqual(job, expected.jobs[i]);
    } catch ({ message }) {
      found.push(message);
    }
  });
  return found;
}

describeEach(`${COUNT} random scenarios (seed ${SEED})`, (test, context) => {
  // Resolves to the outcomes of scenarios with one kind of worker.
  async function outcomes(kind, scenarios, atOnce) {
    const child = context.fleet.fork('scenarios.js', { kind, atOnce, limit: LIMIT });
    child.send(scenarios);
    const found = [];
    child.on('message', ({ i, outcome }) => {
      found[i] = outcome;
    });
    const [code] = await once(child, 'exit');
    assert.equal(code, 0);
    return found;
  }

  // Resolves to a pair of outcomes for each scenario, that with a Worker first.
  async function compared(scenarios, atOnce) {
    const kinds = ['Worker', 'IdleWorker'];
    const [expected, actual] = await Promise.all(
      kinds.map((kind) => outcomes(kind, scenarios, atOnce)),
    );
    return scenarios.map((scenario, i) => [expected[i], actual[i]]);
  }

  // Resolves to the pair, or to that of a run alone if the machine stood still meanwhile.
  async function undisturbed(scenario, pair) {
    let found = pair;
    for (let i = 0; i < REPETITIONS && isDisturbed(found); i++) {
      [found] = await compared([scenario], 1);
    }
    return found;
  }

  async function isStillSlow(scenario) {
    for (let i = 0; i < REPETITIONS; i++) {
      const [again] = await compared([scenario], 1);
      if (!isSlow(again)) return false;
    }
    return true;
  }

  test('end alike with a Worker and with an IdleWorker, and take as long', async () => {
    const scenarios = sample(COUNT, SEED);
    const pairs = await compared(scenarios, AT_ONCE);
    const faults = [];
    for (const [i, scenario] of scenarios.entries()) {
      const pair = await undisturbed(scenario, pairs[i]);
      const found = faultsOf(scenario, pair);
      if (found.length === 0 && isSlow(pair) && (await isStillSlow(scenario))) {
        const [usual, taken] = pair.map(({ milliseconds }) => Math.round(milliseconds));
        found.push(`took ${taken} ms instead of ${usual} ms`);
      }
      if (found.length > 0) faults.push(`${JSON.stringify(scenario)}\n${found.join('\n')}`);
    }
    if (faults.length > 0) {
      assert.fail(`${faults.length} faults:\n${faults.slice(0, 3).join('\n\n')}`);
    }
  });
});
