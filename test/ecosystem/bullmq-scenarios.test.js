'use strict';

// An IdleWorker does what a Worker of BullMQ does: random scenarios, run by both on a real Redis,
// with each version of BullMQ. They are the same each time; SCENARIO_SEED and SCENARIO_COUNT choose
// others.

const assert = require('node:assert/strict');
const { describeEach } = require('./bullmq');
const { outcomeOf, sample } = require('./bullmq/scenarios.js');

const COUNT = Number(process.env.SCENARIO_COUNT ?? 40);
const SEED = Number(process.env.SCENARIO_SEED ?? 2026);

// The number of scenarios that run at once.
const AT_ONCE = 10;

// The time that a scenario may take longer with an IdleWorker: one poll (`drainDelay`), and the
// time that a busy machine takes. Scenarios that run at once may delay each other, so a scenario
// that takes longer runs again alone.
const ONE_POLL = 1_000;
const NOISE = 1_000;
const REPETITIONS = 2;

const isSlow = ([expected, actual]) =>
  actual.milliseconds > 2 * expected.milliseconds + ONE_POLL + NOISE;

// A Worker of BullMQ whose job stalls has not renewed its lock in time: the machine stood still.
const isDisturbed = ([expected]) => expected.troubles.length > 0;

// Asserts that an IdleWorker has done what a Worker has, and as soon.
function assertAlike(scenario, pair) {
  const [expected, actual] = pair;
  const text = JSON.stringify(scenario);
  assert.deepEqual(actual.troubles, [], text);
  assert.deepEqual(actual.jobs, expected.jobs, text);
  const most = scenario.globalConcurrency || Infinity;
  assert(actual.mostActive <= most, `${actual.mostActive} jobs ran at once: ${text}`);
  assert(!isSlow(pair), `${pair.map(({ milliseconds }) => milliseconds)} ms: ${text}`);
}

describeEach(`${COUNT} random scenarios (seed ${SEED})`, (test) => {
  test('end alike with a Worker and with an IdleWorker, and take as long',
    async (fleet, { user, redis: { connection } }) => {
      const compare = async (scenario) => {
        const pair = [];
        for (const kind of ['Worker', 'IdleWorker']) {
          pair.push(await outcomeOf(scenario, kind, { api: user, connection }));
        }
        return pair;
      };
      const scenarios = sample(COUNT, SEED);
      const pairs = [];
      const waiting = [...scenarios.keys()];
      await Promise.all(Array.from({ length: AT_ONCE }, async () => {
        while (waiting.length > 0) {
          const i = waiting.shift();
          pairs[i] = await compare(scenarios[i]);
        }
      }));
      for (const [i, scenario] of scenarios.entries()) {
        let pair = pairs[i];
        for (let n = 0; n < REPETITIONS && (isDisturbed(pair) || isSlow(pair)); n++) {
          pair = await compare(scenario);
        }
        assertAlike(scenario, pair);
      }
    });
});
