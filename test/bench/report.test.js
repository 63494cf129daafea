'use strict';

// bench/report: its command in the shortest form, and the ratio that it judges.
// @lane whole

const assert = require('node:assert/strict');
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const benchmark = require('../../bench/report');
const { useFolder } = require('../helpers/folders.js');
const { LIMIT } = require('../helpers/loop.js');

const HARNESS = require.resolve('../../bench/harness/benchmark.js');
const ROWS = ['without', 'with the flag', 'without, again'];

describe('bench report', () => {
  const inFolder = useFolder();

  it('measures each site without the flag, twice, and with it', () => {
    const file = inFolder('results.json');
    const args = ['report', '--rounds', '1', '--seconds', '0.1', '--warm', '0', '--json', file];
    const { status, stderr } =
      spawnSync(process.execPath, [HARNESS, ...args], { encoding: 'utf8', timeout: 8 * LIMIT });
    assert.equal(status, 0, stderr);
    assert.doesNotMatch(stderr, /is not available/);
    const { cells, goals } = JSON.parse(fs.readFileSync(file, 'utf8'));
    assert.deepEqual([cells.length, goals.length], [2, 2]);
    for (const { rows } of cells) {
      assert.deepEqual(rows.map(({ name }) => name), ROWS);
      const [one, , other] = rows.map(({ runs }) => runs[0]);
      for (const { runs: [ms], ratio } of rows) {
        assert.ok(ms > 0);
        assert.equal(ratio, ms / ((one + other) / 2));
      }
    }
  }).timeout(9 * LIMIT);

  it('starts only the second server of a site with the flag', () => {
    for (const { rows } of benchmark.plan()) {
      const flags = rows.map((row) => row.flags.join(' '));
      assert.deepEqual(flags, ['', '--import uv-scheduler/report', '']);
    }
  });

  it('judges the median ratio of the rounds, each to the mean of both servers without', () => {
    // The machine is slower in the second round.
    const judged = (...ratios) => {
      const runs = [[1, 7, 2], [2, 8, 2].map((ms, i) => ms * ratios[i]), [3, 9, 2]];
      const rows = ROWS.map((name, i) => ({ name, runs: runs[i] }));
      const cell = benchmark.summarize({ title: 'a site', rows });
      const [{ met }] = benchmark.judge([cell]);
      return [cell.rows[1].ratio, met];
    };
    assert.deepEqual(judged(1.5, 1.0, 1.02), [1.02, true]);
    assert.deepEqual(judged(1.04, 1.0, 1.5), [1.04, false]);
  });
});
