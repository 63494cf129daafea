'use strict';

// `uv-scheduler/bullmq` without Redis: how it is loaded, and which arguments an IdleWorker refuses.
// The tests in ecosystem/ run jobs, with BullMQ 5 and 6.

const assert = require('node:assert/strict');
const { Worker } = require('bullmq');
const { IdleWorker } = require('uv-scheduler/bullmq');
const { toOptions } = require('../../../integrations/bullmq/options.js');
const { LIMIT, ROOT, assertOnEachNode, run } = require('../../helpers/loop.js');
const { canCompile, nestedAddon } = require('../../helpers/nested-addon.js');

const connection = { host: '127.0.0.1' };
const processor = () => {};

const PROCESSOR = 'the argument processor must be a function, which runs in this process ' +
  '(not a file or URL)';
const CONNECTION = 'the member connection must be an object: options of a connection, or an ' +
  'ioredis client';
const PATIENCE = 'the member patience must be a number of milliseconds above 0, or Infinity';
const MAX_GIVE_BACKS = 'the member maxGiveBacks must be an integer from 0 on, or Infinity';

const TYPE = 'ERR_INVALID_ARG_TYPE';
const RANGE = 'ERR_OUT_OF_RANGE';

const REFUSED = [
  ['no processor', [undefined, { connection }], PROCESSOR, 'undefined', TYPE],
  ['a file', ['./file.js', { connection }], PROCESSOR, 'the string "./file.js"', TYPE],
  ['a URL', [new URL('file:///x'), { connection }], PROCESSOR, 'an object of class URL', TYPE],
  ['no options', [processor], 'the argument options must be an object with a connection',
    'undefined', TYPE],
  ['no connection', [processor, {}], CONNECTION, 'undefined', TYPE],
  ['an address as connection', [processor, { connection: 'redis://localhost' }], CONNECTION,
    'the string "redis://localhost"', TYPE],
  ['a patience of 0', [processor, { connection, patience: 0 }], PATIENCE, '0', RANGE],
  ['a patience that is NaN', [processor, { connection, patience: NaN }], PATIENCE, 'NaN', RANGE],
  ['a patience that is text', [processor, { connection, patience: '1' }], PATIENCE,
    'the string "1"', TYPE],
  ['half a give-back', [processor, { connection, maxGiveBacks: 0.5 }], MAX_GIVE_BACKS, '0.5',
    RANGE],
  ['null give-backs', [processor, { connection, maxGiveBacks: null }], MAX_GIVE_BACKS, 'null',
    TYPE],
];

describe('uv-scheduler/bullmq', () => {
  it('exports a class that extends the Worker of BullMQ', () => {
    assert.equal(Object.getPrototypeOf(IdleWorker), Worker);
  });

  for (const [what, args, expected, received, code] of REFUSED) {
    it(`refuses ${what}`, () => {
      const message = `Failed to execute 'IdleWorker': ${expected}, but received ${received}.`;
      assert.throws(() => new IdleWorker('queue', ...args), { name: 'TypeError', code, message });
    });
  }

  const MISSPELT = [
    ['patiense', "did you mean 'patience'?"],
    ['maxGivebacks', "did you mean 'maxGiveBacks'?"],
    ['conection', "did you mean 'connection'?"],
  ];
  for (const [name, advice] of MISSPELT) {
    it(`refuses the misspelt option ${name}`, () => {
      assert.throws(() => new IdleWorker('queue', processor, { connection, [name]: 3 }), {
        name: 'TypeError',
        code: 'ERR_INVALID_ARG_VALUE',
        message: `Failed to execute 'IdleWorker': unknown option '${name}' (${advice}).`,
      });
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
    const given = toOptions({ ...options, connection });
    assert.deepEqual(given, { patience: 10_000, maxGiveBacks: 10 });
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

  it('can be imported by name in an ES module', async () => {
    const code =
      "import { IdleWorker } from 'uv-scheduler/bullmq'; console.log(IdleWorker.name);";
    const expected = { code: 0, signal: null, stdout: 'IdleWorker\n', stderr: '' };
    await assertOnEachNode(expected, (node) => run(node, ['--input-type=module', '-e', code]));
  }).timeout(4 * LIMIT);
});

// Prints the warnings of jobs that begin with `hold()`, several times one after the other.
const measured = (hold, times = 1) => `
  const { LongJobs } = require('./integrations/bullmq/long-jobs.js');
  const { setImmediate: turn } = require('node:timers/promises');
  process.on('warning', ({ code, message }) => console.log(code, message));
  const hold = ${hold};
  async function main() {
    const jobs = new LongJobs('queue');
    for (let i = 0; i < ${times}; i++) {
      setImmediate(() => {
        jobs.measure('job');
        hold();
      });
      await turn();
      await turn();
    }
  }
  main();`;

// By processor time, as the machine may give this thread little.
const compute = (ms) => `() => {
  const computed = () => {
    const { user, system } = (process.threadCpuUsage ?? process.cpuUsage).call(process);
    return (user + system) / 1000;
  };
  const end = computed() + ${ms};
  while (computed() < end);
}`;

// Nobody else can tell this from a machine that stands still.
const STOP = `() => {
  const { spawn } = require('node:child_process');
  spawn('sh', ['-c', 'sleep 0.8; kill -CONT ' + process.pid], { stdio: 'ignore' }).unref();
  process.kill(process.pid, 'SIGSTOP');
}`;

// Another thread computes while this one waits, as if the machine had given it no time.
const OTHERS = `() => {
  const { Worker } = require('node:worker_threads');
  new Worker('const end = Date.now() + 400; while (Date.now() < end);', { eval: true }).unref();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
}`;

const NESTED = `() => {
  let isOver = false;
  setTimeout(() => {
    const end = performance.now() + 600;
    while (performance.now() < end);
    isOver = true;
  }, 10);
  const { run } = require(process.env.NESTED_ADDON);
  const ONCE = 1;
  while (!isOver) run(ONCE);
}`;

const WAIT = `() => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600);
}`;

describe('a job that blocks the loop is reported', () => {
  const report = (hold, times) => (node) =>
    run(node, ['--no-warnings', '-e', measured(hold, times)], { cwd: ROOT });

  async function assertReported(isReported, hold, times) {
    const expected = { code: 0, signal: null, isReported, stderr: '' };
    await assertOnEachNode(expected, async (node) => {
      const { stdout, ...rest } = await report(hold, times)(node);
      return { ...rest, isReported: stdout.startsWith('UV_SCHEDULER_LONG_JOB') };
    });
  }

  it('if it computes', () => assertReported(true, compute(520), 2)).timeout(4 * LIMIT);

  it('but not if it computes for a few milliseconds', () => assertReported(false, compute(5), 20))
    .timeout(4 * LIMIT);

  it('if it waits without yielding, again and again', () => assertReported(true, WAIT, 2))
    .timeout(4 * LIMIT);

  it('but not because the machine stood still', () => assertReported(false, STOP))
    .timeout(4 * LIMIT);

  it('but not for what other threads compute', () => assertReported(false, OTHERS))
    .timeout(4 * LIMIT);

  if (!canCompile) return;

  it('but not if it runs the loop itself meanwhile', async () => {
    process.env.NESTED_ADDON = nestedAddon();
    try {
      await assertReported(false, NESTED, 2);
    } finally {
      delete process.env.NESTED_ADDON;
    }
  }).timeout(4 * LIMIT);
});
