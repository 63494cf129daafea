'use strict';

// Short runs of bench/overload: its servers, its load process and the whole command. They are too
// short for figures; what counts is that no visitor is lost.

const assert = require('node:assert/strict');
const { execFile } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { promisify } = require('node:util');
const { LIMIT } = require('../helpers/programs.js');

const { createProcesses } = require('../../bench/harness/processes.js');
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

  function assertAllAccounted({ visitors, results, lateness }) {
    const counts = ['served', 'refused', 'left'].map((outcome) => countOf(results, outcome));
    const sum = counts.reduce((total, count) => total + count, 0);
    assert.equal(sum, visitors.length, `served, refused, left: ${counts}`);
    assert.equal(lateness.length, visitors.length);
    assert.ok(counts[0] < visitors.length, 'not everybody can be served');
  }

  for (const [contender, name] of Object.entries(NAMES)) {
    it(`knows what became of each visitor of ${name}`, async () => {
      assertAllAccounted(await run(contender, 'keep-alive'));
    }).timeout(2 * LIMIT);
  }

  for (const transport of ['new', 'http2']) {
    for (const contender of ['plain', 'pressure', 'priorities']) {
      it(`does so with ${NAMES[contender]} and connections of the kind ${transport}`, async () => {
        assertAllAccounted(await run(contender, transport));
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
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'uv-scheduler-overload-'));
    try {
      const [json, table] = ['results.json', 'table.md'].map((name) => path.join(folder, name));
      const { stdout } = await promisify(execFile)(process.execPath, [
        HARNESS, 'overload', '--seconds', '0.5', '--warm', '0', '--only', 'loads', '--loads', '2.5',
        '--contenders', 'plain,priorities', '--json', json, '--markdown', table,
      ]);
      const { cells: [{ rows }] } = JSON.parse(fs.readFileSync(json, 'utf8'));
      assert.deepEqual(rows.map(({ contender }) => contender), ['plain', 'priorities']);
      for (const { name, classes: { all } } of rows) {
        assert.equal(all.served + all.refused + all.left, all.sent, name);
        assert.ok(stdout.includes(`│ ${name} `), stdout);
        assert.ok(fs.readFileSync(table, 'utf8').includes(`\n| ${name} | `), name);
      }
    } finally {
      fs.rmSync(folder, { recursive: true, force: true });
    }
  }).timeout(2 * LIMIT);
});
