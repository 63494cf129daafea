'use strict';

// `uv-scheduler/bullmq` without Redis: how it is loaded, and which arguments an IdleWorker refuses.
// The tests in ecosystem/ run jobs, with BullMQ 5 and 6.

const assert = require('node:assert/strict');
const path = require('node:path');
const { Worker } = require('bullmq');
const { IdleWorker } = require('uv-scheduler/bullmq');
const { toOptions } = require('../../../integrations/bullmq/options.js');
const { JOBS } = require('../../fixtures/long-jobs.js');
const { FIXTURES, ROOT, run, testTogether } = require('../../helpers/loop.js');
const { canCompile, nestedAddon } = require('../../helpers/nested-addon.js');

const connection = { host: '127.0.0.1' };
const processor = () => {};

const TYPE = 'ERR_INVALID_ARG_TYPE';
const RANGE = 'ERR_OUT_OF_RANGE';

const FILE = 'a function, which runs in this process (not a file or URL)';
const CONNECTION = 'an object: options of a connection, or an ioredis client';
const PATIENCE = 'a number of milliseconds above 0, or Infinity';
const COUNT = 'an integer from 0 on, or Infinity';

const given = (options) => [processor, { connection, ...options }];

// Arguments behind the name of the queue, and the error.
const REFUSED = [
  [[undefined, { connection }], 'the argument processor', FILE, 'undefined', TYPE],
  [['./file.js', { connection }], 'the argument processor', FILE, 'the string "./file.js"', TYPE],
  [[new URL('file:///x'), {}], 'the argument processor', FILE, 'an object of class URL', TYPE],
  [[processor], 'the argument options', 'an object with a connection', 'undefined', TYPE],
  [[processor, {}], 'the member connection', CONNECTION, 'undefined', TYPE],
  [given({ connection: 'redis' }), 'the member connection', CONNECTION, 'the string "redis"', TYPE],
  [given({ patience: 0 }), 'the member patience', PATIENCE, '0', RANGE],
  [given({ patience: NaN }), 'the member patience', PATIENCE, 'NaN', RANGE],
  [given({ patience: '1' }), 'the member patience', PATIENCE, 'the string "1"', TYPE],
  [given({ maxGiveBacks: 0.5 }), 'the member maxGiveBacks', COUNT, '0.5', RANGE],
  [given({ maxGiveBacks: null }), 'the member maxGiveBacks', COUNT, 'null', TYPE],
].map(([args, name, expected, received, code]) => {
  return [args, code, `${name} must be ${expected}, but received ${received}.`];
});

const MISSPELT = { patiense: 'patience', maxGivebacks: 'maxGiveBacks', conection: 'connection' };
for (const [name, meant] of Object.entries(MISSPELT)) {
  const message = `unknown option '${name}' (did you mean '${meant}'?).`;
  REFUSED.push([given({ [name]: 3 }), 'ERR_INVALID_ARG_VALUE', message]);
}

describe('uv-scheduler/bullmq', () => {
  it('exports a class that extends the Worker of BullMQ', () => {
    assert.equal(Object.getPrototypeOf(IdleWorker), Worker);
  });

  for (const [args, code, text] of REFUSED) {
    it(`refuses arguments with an error: ${text}`, () => {
      const message = `Failed to execute 'IdleWorker': ${text}`;
      assert.throws(() => new IdleWorker('queue', ...args), { name: 'TypeError', code, message });
    });
  }

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
