'use strict';

// `npm start fleet` and the examples of the documents that use BullMQ, with a real Redis, and the
// figures of docs/fleet.md.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { LIMIT, ROOT, nodes, run } = require('../helpers/loop.js');
const { documents, examples, read } = require('../helpers/docs.js');
const { assertRuns, needsRedis } = require('../helpers/examples.js');
const { measurePair } = require('../../bench/tasks/cases/jobs.js');
const { Redis } = require('../../examples/fleet/redis.js');

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

describe('an IdleWorker on an idle server', () => {
  const redis = new Redis();

  before(() => redis.start());

  after(() => redis.remove());

  // A busy machine makes the figures differ. `npm run bench -- --only jobs` shows them in full.
  it('does nearly as many jobs as a Worker', async () => {
    const job = { count: 40, concurrency: 1, pieces: 5, wait: 0 };
    const ratios = [];
    for (let round = 0; round < 5; round++) {
      const { worker, idleWorker } = await measurePair(redis.connection, job, round);
      ratios.push(idleWorker / worker);
    }
    const [, , median] = ratios.sort((a, b) => a - b);
    assert(median > 0.75, `jobs of a Worker: ${ratios}`);
  }).timeout(SLOW);
});

describe('an example with BullMQ runs as it stands', () => {
  const redis = new Redis();

  before(() => redis.start());

  after(() => redis.remove());

  for (const file of documents()) {
    for (const example of examples(read(file)).filter(needsRedis)) {
      it(`${file}, line ${example.line}`, async () => {
        const { host, port } = redis.connection;
        const env = { ...process.env, REDIS_URL: `redis://${host}:${port}` };
        // One after the other: they share a queue.
        for (const node of nodes) await assertRuns(example, { on: [node], env });
      }).timeout(SLOW);
    }
  }
});

describe('docs/fleet.md', () => {
  it('has the figures of its simulation', async () => {
    const { code, stdout, stderr } = await runScript('docs/fleet-simulation.js');
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
    const rows = read('docs/fleet.md').match(/^\| (?:empty|full|half full)\b.*$/gm);
    assert(rows.length > 10);
    const simulated = new Set(stdout.split('\n'));
    assert.deepEqual(rows.filter((row) => !simulated.has(row)), []);
  }).timeout(SLOW);
});
