'use strict';

// The ratio that bench/report judges.
// @lane whole

const assert = require('node:assert/strict');
const benchmark = require('../../bench/report');

const ROWS = ['without', 'with the flag', 'without, again'];

describe('bench report', () => {
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
