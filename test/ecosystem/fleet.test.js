'use strict';

// `npm start fleet` with a real Redis, and an IdleWorker compared with a Worker of BullMQ.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { LIMIT, ROOT, run } = require('../helpers/programs.js');
const { Queue, Worker } = require('bullmq');
const { scheduler } = require('uv-scheduler');
const { IdleWorker } = require('uv-scheduler/bullmq');
const { Redis } = require('../../examples/fleet/redis.js');
const { busy } = require('../helpers/tasks.js');

const OWN = { path: process.execPath };
const SLOW = 10 * LIMIT;

const runScript = (file, args = []) =>
  run(OWN, [path.join(ROOT, file), ...args], { cwd: ROOT, timeout: SLOW });

describe('npm start fleet', () => {
  let folder;

  before(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'uv-scheduler-fleet-'));
  });

  after(() => fs.rmSync(folder, { recursive: true, force: true }));

  const fleet = (...args) => runScript('scripts/start.js', ['fleet', ...args]);

  it('loses no job, and shows the table and the picture', async () => {
    const plot = path.join(folder, 'fleet.svg');
    const { code, stdout, stderr } = await fleet('--seconds', '1', '--plot', plot);
    assert.equal(code, 0, stderr);
    for (const server of ['server 1, heavy load', 'server 2, light load']) {
      for (const jobs of ['no jobs', 'with jobs']) {
        assert.match(stdout, new RegExp(`│ ${server}, ${jobs} +│ +\\d+\\.\\d │`));
      }
    }
    assert.match(stdout, /^kept {4}no job is lost \(0 lost, 0 failed\)$/m);
    assert.match(stdout, /^kept {4}no job is run twice \(0\)$/m);
    const [, done] = /^(\d+) jobs done/m.exec(stdout);
    assert(Number(done) > 0);
    const svg = fs.readFileSync(plot, 'utf8');
    for (const text of ['server 1', 'server 2', 'jobs per second']) {
      assert(svg.includes(text), text);
    }
    assert.match(stderr, /the load moves to the other server/);
  }).timeout(SLOW);

  it('refuses a wrong number of seconds', async () => {
    const { code, stdout, stderr } = await fleet('--seconds', 'many');
    assert.deepEqual({ code, stdout }, { code: 2, stdout: '' });
    assert.match(stderr, /--seconds must be a number from 1 to 600, not 'many'/);
  }).timeout(SLOW);
});

// The two kinds of workers, and what their jobs await between two pieces.
const KINDS = [
  { type: Worker, pause: () => new Promise((resolve) => setImmediate(resolve)) },
  { type: IdleWorker, pause: () => scheduler.yield() },
];

const JOBS = 40;
const PIECES = 5;
const PIECE_MS = 2;

// Resolves to the milliseconds in which a worker does all jobs of a queue.
async function timeJobs(connection, { type, pause }) {
  const queue = new Queue('jobs', { connection });
  await queue.obliterate({ force: true });
  await queue.addBulk(Array.from({ length: JOBS }, () => ({ name: 'job', data: {} })));
  const work = async () => {
    for (let i = 0; i < PIECES; i++) {
      busy(PIECE_MS);
      await pause();
    }
  };
  const worker = new type(queue.name, work, { connection, autorun: false });
  let completed = 0;
  const done = new Promise((resolve) => {
    worker.on('completed', () => {
      if (++completed === JOBS) resolve();
    });
  });
  await worker.waitUntilReady();
  const start = performance.now();
  void worker.run();
  await done;
  const elapsed = performance.now() - start;
  await worker.close();
  await queue.close();
  return elapsed;
}

describe('an IdleWorker on an idle server', () => {
  const redis = new Redis();

  before(() => redis.start());

  after(() => redis.remove());

  // A busy machine makes the figures differ.
  it('does nearly as many jobs as a Worker', async () => {
    const ratios = [];
    for (let round = 0; round < 5; round++) {
      const times = new Map();
      for (const kind of round % 2 === 0 ? KINDS : KINDS.toReversed()) {
        times.set(kind.type, await timeJobs(redis.connection, kind));
      }
      ratios.push(times.get(Worker) / times.get(IdleWorker));
    }
    const [, , median] = ratios.sort((a, b) => a - b);
    assert(median > 0.75, `jobs of a Worker: ${ratios}`);
  }).timeout(SLOW);
});
