'use strict';

// The parts of bench/harness that all benchmarks share: the order of rounds, tables, goals, and the
// results of releases.
// @lane whole
// @host any

const assert = require('node:assert/strict');
const { roundsOf } = require('../../bench/harness/benchmark.js');
const { pairsOf, readReleases, withResult } = require('../../bench/harness/releases.js');
const {
  atLeast, atMost, column, markdownTables, nameColumn, percent,
} = require('../../bench/harness/report.js');
const { judge: judgeTasks, ...goals } = require('../../bench/tasks/goals.js');

describe('the harness of the benchmarks', () => {
  it('goes through the rows forwards and backwards, so that none always follows the same', () => {
    const steps = [];
    const cell = { rows: [{ name: 'first' }, { name: 'second' }] };
    const rounds = roundsOf(cell, [0, 1], ({ name }, run) => steps.push(`${run} ${name}`));
    for (const { rows } of rounds) assert.equal([...rows].length, 2);
    assert.deepEqual(steps, ['0 first', '0 second', '1 second', '1 first']);
  });

  it('writes one table for neighbours with the same columns, the ideal as the last row', () => {
    const columns = ({ kind }) =>
      [nameColumn(), column(`${kind}\nserved`, `${kind}.share`, percent)];
    const row = (name, share) => ({ name, short: { share }, long: { share } });
    const cells = [
      { kind: 'short', title: 'a cell', rows: [row('plain', 0.5)], ideal: row('ideal', 1) },
      { kind: 'short', title: 'another', rows: [row('plain', null)], ideal: null },
      { kind: 'long', title: 'the last', rows: [row('plain', 0)] },
    ];
    const lines = markdownTables(cells, columns).split('\n');
    assert.deepEqual(lines.filter((line) => !line.includes('---')), [
      '|  | short served |', '| **a cell** |  |', '| plain | 50 % |', '| ideal | 100 % |',
      '| **another** |  |', '| plain | – |', '',
      '|  | long served |', '| **the last** |  |', '| plain | 0 % |', '', '',
    ]);
  });

  it('judges a figure by its limit, unless one of both is not known', () => {
    const verdicts = (judge) => [[1, 2], [2, 2], [3, 2], [null, 2], [1, null]]
      .map(([value, limit]) => judge('a cell', 'a goal', value, limit).met);
    assert.deepEqual(verdicts(atMost), [true, true, false, null, null]);
    assert.deepEqual(verdicts(atLeast), [false, true, true, null, null]);
  });

  it('judges tasks by the medians of two rows, and shows the ratio that it has judged', () => {
    const found = judgeTasks({
      name: 'batch', rows: [{ name: goals.OURS, median: 150.04 }, { name: 'peer', median: 100 }],
      goals: [
        goals.timesAsFast('peer', 1.5), goals.timesAsMuch('peer', 1.5),
        goals.above('peer', 50, 'at most 50 more'), goals.atMost(200, 'ns'),
        goals.timesAsFast('absent', 1),
      ],
    });
    assert.deepEqual(found.map(({ met, detail }) => [met, detail]), [
      [false, 'it is 0.67, the limit 1.50'], [false, 'it is 1.5004, the limit 1.5000'],
      [false, 'it is 50.04, the limit 50.00'], [true, 'it is 150, the limit 200'],
      [null, 'it is –, the limit 1'],
    ]);
  });

  const result = (more) => ({
    benchmark: 'tasks', version: '0.1.0', date: '2026-12-01', node: 'v24.1.0', machine: 'x64',
    options: {}, goals: [], faults: [], cells: [], ...more,
  });

  it('compares results of the same benchmark and major version of Node', () => {
    const ones = [result(), result({ benchmark: 'ssr' }), result({ node: 'v22.0.0' })];
    const others = [result({ node: 'v24.9.0' }), result({ node: 'v26.0.0' })];
    assert.deepEqual(pairsOf(ones, others), [[ones[0], others[0]]]);
  });

  it('keeps the newest result of each benchmark, release, Node and machine', () => {
    const names = ['benchmark', 'version', 'node', 'machine'];
    const all = [...names.map((name) => result({ [name]: 'v1' })), result({ date: '2026-12-02' })]
      .reduce(withResult, [result()]);
    assert.equal(all.length, 1 + names.length);
    assert.equal(all.filter(({ date }) => date === '2026-12-02').length, 1);
    for (const { version, date, node, machine, benchmark } of readReleases()) {
      assert.ok([version, date, node, machine, benchmark].every(Boolean), benchmark);
    }
  });
});
