'use strict';

// `npm start fleet` with a real Redis, and the rows of the simulation in the documents.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { LIMIT, ROOT, run } = require('../helpers/loop.js');
const { read } = require('../helpers/docs.js');
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

describe('the simulation of a fleet', () => {
  const ROWS = /^\| (?:empty|full|half full)\b.*$/gm;
  // docs/background.md has not all columns: fetches/s and wait are left out.
  const LEFT_OUT = [5, 8];

  const cellsOf = (row) => row.slice(2, -2).split(' | ');

  it('gives the rows that the results and the page show', async () => {
    const { code, stdout, stderr } = await runScript('bench/fleet-simulation.js');
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
    const rows = stdout.match(ROWS);
    assert.deepEqual(read('bench/results/fleet.md').match(ROWS), rows);
    const shortened = rows.map((row) => {
      return cellsOf(row).filter((_, column) => !LEFT_OUT.includes(column)).join();
    });
    const shown = read('docs/background.md').match(ROWS).map((row) => cellsOf(row).join());
    assert.deepEqual(shown.filter((row) => !shortened.includes(row)), []);
  }).timeout(SLOW);
});
