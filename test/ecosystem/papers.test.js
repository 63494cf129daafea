'use strict';

// A short run of bench/papers beside a pool of threads, too short for figures: no request is lost,
// and the command writes its results and the plot.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { LIMIT, run } = require('../helpers/programs.js');
const { NAMES } = require('../../bench/papers/contenders.js');
const { WORKLOADS } = require('../../bench/papers/workloads.js');

const HARNESS = path.join(__dirname, '../../bench/harness/benchmark.js');

describe('a run of bench papers beside a pool', () => {
  let folder;

  before(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'uv-scheduler-papers-'));
  });

  after(() => fs.rmSync(folder, { recursive: true, force: true }));

  it('serves every request of every workload, and writes its tables and plot', async () => {
    const [json, markdown, svg] = ['json', 'md', 'svg'].map((type) =>
      path.join(folder, `results.${type}`));
    const { code, stderr } = await run({ path: process.execPath }, [
      HARNESS, 'papers', '--seconds', '0.5', '--loads', '0.8', '--contenders',
      'plain,piscina,classes', '--json', json, '--svg', svg, '--markdown', markdown,
    ], { timeout: 4 * LIMIT });
    assert.equal(code, 0, stderr);
    const { cells } = JSON.parse(fs.readFileSync(json, 'utf8'));
    const workloads = cells.filter(({ workload }) => workload !== undefined);
    assert.deepEqual(workloads.map(({ workload }) => workload), Object.keys(WORKLOADS));
    for (const { title, rows: [plain, ...rows] } of workloads) {
      assert.ok(plain.types.all.count > 0, title);
      for (const { name, types, failed = 0 } of rows) {
        assert.equal(types.all.count, plain.types.all.count, `${title}: ${name}`);
        assert.equal(failed, 0, `${title}: ${name}`);
      }
    }
    assert.equal(cells.length - workloads.length, 2);
    const text = fs.readFileSync(markdown, 'utf8');
    assert.ok(text.includes('](results.svg)') && text.includes(`| ${NAMES.piscina} |`), text);
    assert.match(fs.readFileSync(svg, 'utf8'), /^<svg /);
  }).timeout(5 * LIMIT);
});
