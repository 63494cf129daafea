'use strict';

// Short runs of bench/overload and bench/equals: their servers, their load processes and the whole
// commands. They are too short for figures; what counts is that no visitor is lost.

const assert = require('node:assert/strict');
const { execFile } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { promisify } = require('node:util');
const { LIMIT } = require('../helpers/programs.js');
const { createProcesses } = require('../../bench/harness/processes.js');
const equals = require('../../bench/equals/contenders.js');
const { open } = require('../../bench/overload/index.js');
const { NAMES } = require('../../bench/overload/contenders.js');
const { createVisitors } = require('../../bench/overload/visitors.js');
const { createChildren } = require('../../examples/docs-site/children.js');

const HARNESS = path.join(__dirname, '../../bench/harness/benchmark.js');

// More than the machine can serve, whichever it is: a page takes 20 ms on each.
const CROWD = [{ perSecond: 150, seconds: 1 }];
const PATIENCE = 1000;
const SEED = 7;

const countOf = (results, wanted) => results.filter(({ outcome }) => outcome === wanted).length;

let folder;

before(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'uv-scheduler-benches-'));
});

after(() => fs.rmSync(folder, { recursive: true, force: true }));

const inFolder = (type) => path.join(folder, `results.${type}`);

// Returns what a short run of a benchmark prints, and its results.
async function runShortly(name, ...args) {
  const { stdout } = await promisify(execFile)(process.execPath, [
    HARNESS, name, '--seconds', '0.5', '--warm', '0', '--json', inFolder('json'),
    '--markdown', inFolder('md'), ...args,
  ]);
  return { stdout, ...JSON.parse(fs.readFileSync(inFolder('json'), 'utf8')) };
}

// Asserts that the tables have a row for each contender.
function assertTables(rows, stdout) {
  for (const { name } of rows) {
    assert.ok(stdout.includes(`│ ${name} `), stdout);
    assert.ok(fs.readFileSync(inFolder('md'), 'utf8').includes(`\n| ${name} |`), name);
  }
}

describe('a run of bench equals', () => {
  it('serves every page of every contender, and writes its tables, plot and results', async () => {
    const { stdout, cells: [{ kinds, rows }] } = await runShortly('equals',
      '--mixes', 'mix', '--loads', '0.3', '--svg', inFolder('svg'));
    assert.deepEqual(rows.map(({ contender }) => contender), Object.keys(equals.NAMES));
    const counts = rows.map((row) => kinds.map((kind) => row.kinds[kind].served));
    assert.ok(counts[0][0] > 10, `${counts[0]} pages`);
    for (const [index, { name, failed }] of rows.entries()) {
      assert.deepEqual([counts[index], failed], [counts[0], 0], name);
    }
    assertTables(rows, stdout);
    assert.match(fs.readFileSync(inFolder('svg'), 'utf8'), /^<svg /);
  }).timeout(2 * LIMIT);

  it('knows what became of the pages of tenants, and of events and background tasks', async () => {
    const mixes = ['weights', 'tenants', 'stream', 'background'];
    const { cells, goals } = await runShortly('equals',
      '--mixes', mixes.join(), '--contenders', 'controllerFor,admission');
    assert.deepEqual(cells.map(({ mix }) => mix), mixes);
    for (const { mix, rows } of cells) {
      for (const { name, failed, kinds, isAlone } of rows) {
        assert.equal(failed, 0, `${mix}: ${name}`);
        for (const [kind, { sent, served }] of Object.entries(kinds)) {
          const text = `${mix}: ${name}: ${served} of ${sent} of ${kind}`;
          // There are few long pages, and no flood while a tenant is by itself.
          assert.ok(sent > 0 || kind === 'long' || isAlone, text);
          // Some of a flood are refused, or leave.
          assert.ok(served === sent || mix === 'tenants', text);
        }
      }
    }
    const scopes = cells.map(({ title }) => goals.filter(({ scope }) => scope === title).length);
    assert.deepEqual(scopes, [2, 4, 2, 4]);
  }).timeout(2 * LIMIT);
});

describe('a run of bench overload', () => {
  let openLoop;

  before(() => {
    openLoop = open({}, createProcesses(createChildren('test').startChild));
  });

  after(() => openLoop.end());

  // Returns the visitors and what became of them.
  async function run(contender, transport, habits = {}) {
    const visitors = createVisitors(CROWD, SEED);
    return openLoop.measureRow({ contender, transport }, visitors, {
      seed: SEED, page: '/page', transport, habits: { patience: PATIENCE, ...habits },
    });
  }

  for (const [transport, contenders] of Object.entries({
    'keep-alive': Object.keys(NAMES),
    'new': ['plain', 'pressure', 'priorities'],
    'http2': ['plain', 'pressure', 'priorities'],
  })) {
    for (const contender of contenders) {
      const name = NAMES[contender];
      it(`knows what became of each visitor of ${name} (connections: ${transport})`, async () => {
        const { visitors, results, lateness } = await run(contender, transport);
        const counts = ['served', 'refused', 'left'].map((outcome) => countOf(results, outcome));
        const sum = counts.reduce((total, count) => total + count, 0);
        assert.equal(sum, visitors.length, `served, refused, left: ${counts}`);
        assert.equal(lateness.length, visitors.length);
        assert.ok(counts[0] < visitors.length, 'not everybody can be served');
      }).timeout(2 * LIMIT);
    }
  }

  it('lets visitors try again', async () => {
    const retries = 2;
    const { results } = await run('plain', 'keep-alive', { patience: 100, retries, backoff: 50 });
    assert.ok(results.some(({ tries }) => tries > 1), 'somebody tries again');
    for (const { outcome, tries } of results) {
      assert.ok(outcome === 'served' || tries === retries + 1, `${outcome} after ${tries} tries`);
    }
  }).timeout(2 * LIMIT);

  it('writes its table and its results', async () => {
    const { stdout, cells: [{ rows }] } = await runShortly('overload',
      '--only', 'loads', '--loads', '2.5', '--contenders', 'plain,priorities');
    assert.deepEqual(rows.map(({ contender }) => contender), ['plain', 'priorities']);
    for (const { name, classes: { all } } of rows) {
      assert.equal(all.served + all.refused + all.left, all.sent, name);
    }
    assertTables(rows, stdout);
  }).timeout(2 * LIMIT);
});
