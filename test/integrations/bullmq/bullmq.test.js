'use strict';

// `uv-scheduler/bullmq` without Redis: how it is loaded, and which options an IdleWorker passes on,
// and how long a job that arrives waits for its first turn. The tests in ecosystem/ run jobs.

const assert = require('node:assert/strict');
const path = require('node:path');
const { Worker } = require('bullmq');
const { IdleWorker } = require('uv-scheduler/bullmq');
const { createTestScheduler } = require('uv-scheduler/testing');
const { toOptions } = require('../../../integrations/bullmq/options.js');
const { FirstTurn } = require('../../../integrations/bullmq/turns.js');
const { JOBS } = require('../../fixtures/long-jobs.js');
const { FIXTURES, ROOT, run, testTogether } = require('../../helpers/loop.js');
const { canCompile, nestedAddon } = require('../../helpers/nested-addon.js');
const { fakeHold, separateTests } = require('../../helpers/watch.js');

const connection = { host: '127.0.0.1' };

describe('uv-scheduler/bullmq', () => {
  it('exports a class that extends the Worker of BullMQ', () =>
    assert.equal(Object.getPrototypeOf(IdleWorker), Worker));

  // The names of the options of BullMQ 5 and 6, and one that a later version may have.
  it('passes all options of BullMQ on', () => {
    const names = `connection blockingConnection prefix skipVersionCheck telemetry
      skipWaitingForReady useWorkerThreads workerForkOptions workerThreadsOptions name autorun
      concurrency limiter metrics maximumRateLimitDelay maxStartedAttempts maxStalledCount
      stalledInterval removeOnComplete removeOnFail skipStalledCheck skipLockRenewal drainDelay
      lockDuration lockRenewTime runRetryDelay settings latency`.split(/\s+/);
    const options = Object.fromEntries(names.map((name) => [name, undefined]));
    assert.deepEqual(toOptions({ ...options, connection }), { patience: 10_000, maxGiveBacks: 10 });
  });

  it('leaves the refusal of other options to BullMQ', async () => {
    // BullMQ has begun to connect by then, and would go on for ever.
    const code = `
      const { IdleWorker } = require('uv-scheduler/bullmq');
      try {
        new IdleWorker('queue', () => {}, { connection: {}, stalledInterval: 0 });
      } catch ({ message }) {
        process.stdout.write(message, () => process.exit());
      }`;
    const { stdout } = await run({ path: process.execPath }, ['-e', code], { cwd: ROOT });
    assert.match(stdout, /stalledInt/);
  });
});

describe('a job that blocks the loop is reported', () => {
  const env = canCompile ? { ...process.env, NESTED_ADDON: nestedAddon() } : process.env;
  const expected = Object.entries(JOBS).map(([title, each]) => [title, each.isReported ?? false]);
  const args = ['--no-warnings', path.join(FIXTURES, 'long-jobs.js')];
  testTogether(args, Object.fromEntries(expected), { env });
});

describe('a job that arrives', () => {
  const TIMES = { busy: 20, held: 200 };
  let hold;
  let test;

  separateTests();
  beforeEach(() => {
    test = createTestScheduler();
    hold = fakeHold();
  });
  afterEach(() => test.stop());

  // The time after which a job without a turn is given up. The hold ends at `end`.
  async function givenUpAfter(times, end = Infinity) {
    let isGivenUp = false;
    new FirstTurn(times, () => (isGivenUp = true));
    let time = 0;
    for (; !isGivenUp; time++) {
      if (time === end) hold.reason = 0;
      await test.advance(1);
    }
    return time;
  }

  it('waits for its first turn longer while background work is held', async () => {
    hold.reason = 1;
    assert.equal(await givenUpAfter(TIMES), 200);
  });

  it('waits no longer once the hold has ended', async () => {
    hold.reason = 2;
    assert.equal(await givenUpAfter({ ...TIMES, held: Infinity }, 50), 52);
  });

  it('is given up where the loop is busy and nothing is held', async () => {
    assert.equal(await givenUpAfter(TIMES), 20);
  });

  it('waits no more once it has its turn', async () => {
    new FirstTurn(TIMES, assert.fail).end();
    await test.advance(1000);
  });
});
