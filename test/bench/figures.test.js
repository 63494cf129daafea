'use strict';

// The computed parts of benchmarks: ideal threads for comparison, figures, and goals. And what all
// share of bench/harness: the order of rounds, tables, goals, and the results of releases.
// Short runs of them are in ../ecosystem/benches.test.js.
// @lane whole
// @host any

const assert = require('node:assert/strict');
const equals = require('../../bench/equals/index.js');
const { serveIdeally: serveEquals } = require('../../bench/equals/ideal.js');
const { findFaults } = require('../../bench/harness/open-loop.js');
const { goodputOf, lastUnserved, summarizeVisits } = require('../../bench/overload/figures.js');
const { serveIdeally: serveOverload } = require('../../bench/overload/ideal.js');
const { CLASSES } = require('../../bench/overload/visitors.js');
const papers = require('../../bench/papers/ideals.js');
const report = require('../../bench/report');
const { roundsOf } = require('../../bench/harness/benchmark.js');
const { pairsOf, readReleases, withResult } = require('../../bench/harness/releases.js');
const {
  atLeast, atMost, column, markdownTables, nameColumn, percent,
} = require('../../bench/harness/report.js');
const { judge: judgeTasks, ...goals } = require('../../bench/tasks/goals.js');

const arriving = (...visitors) => visitors.map(([time, name]) => ({ time, name }));

describe('the ideal thread of bench', () => {
  it('equals works at the page that has the least left, each page with a cost', () => {
    const visitors = arriving([0, { count: 3, ms: 4 }], [1, { count: 1, ms: 5 }],
      [6, { count: 2, ms: 1 }], [30, { count: 1, ms: 1 }]);
    const serve = (cost) => serveEquals(visitors, (name) => name, cost);
    assert.deepEqual([0, 1].map(serve), [[19, 8, 5, 1], [22, 10, 8, 2]]);
  });

  it('papers serves each in its own order, and with a cost of each request', () => {
    const TIMES = { long: 10, middle: 4, short: 1 };
    const typeFor = (name) => ({ ms: TIMES[name] });
    const visitors = arriving([0, 'long'], [2, 'middle'], [3, 'short'], [20, 'short']);
    for (const [name, times] of Object.entries({
      inOrder: [10, 12, 12, 1],
      shortestRest: [15, 5, 1, 1],
      // No request is interrupted.
      shortestType: [10, 13, 8, 1],
      // The long one has 8 left at 2 and 7.5 at 3, when the middle one has 3.5.
      sharing: [15, 9, 3, 1],
    })) {
      assert.deepEqual(papers[name](visitors, typeFor).map((time) => +time.toFixed(6)), times);
    }
    const both = arriving([0, 'short'], [0, 'short']);
    assert.deepEqual(papers.shortestRest(both, typeFor, 1), [2, 4]);
  });

  it('overload serves the most important that came first, and none that would leave', () => {
    const [first, , last] = CLASSES.map(({ name }) => name);
    const visitors = arriving([0, last], [1, last], [2, first], [3, first], [4, last], [50, last]);
    const results = serveOverload(visitors, { service: 10, patience: 32 });
    assert.deepEqual(results.map(({ outcome, ms }) => [outcome, ms]), [
      ['served', 10], ['left', 32], ['served', 18], ['served', 27], ['left', 32], ['served', 10],
    ]);
  });
});

describe('the figures of bench', () => {
  it('overload count each visitor once, and the pages that were complete in time', () => {
    const visits = [
      { time: 0, outcome: 'served', ms: 10, tries: 1, end: 10 },
      { time: 5, outcome: 'served', ms: 30, tries: 1, end: 35 },
      { time: 40, outcome: 'refused', ms: 4, tries: 3, end: 44 },
      { time: 50, outcome: 'left', ms: 1000, tries: 1, end: 1050 },
      { time: 60, outcome: 'served', ms: 50, tries: 2, end: 110 },
      { time: 120, outcome: 'served', ms: 1, tries: 1, end: 121 },
    ];
    const { sent, served, refused, left, failed, share, mean, p50 } = summarizeVisits(visits);
    assert.deepEqual([sent, served, refused, left, failed], [6, 4, 1, 1, 0]);
    assert.deepEqual([share, mean, p50], [4 / 6, 91 / 4, 20]);
    assert.deepEqual([goodputOf(visits, 0, 100), goodputOf(visits, 30, 120)], [20, 2 / 90 * 1000]);
    assert.deepEqual([lastUnserved(visits, 30), lastUnserved(visits, 100)], [20, 0]);
  });

  it('equals are those of each kind, and not valid if requests were late or failed', () => {
    const pages = [[0, 'short', 900], [10, 'short', 4], [20, 'long', 200], [30, 'short', 8]];
    const cellOf = ({ lateness = [0], waiting = 0, outcome = 'served' } = {}) => equals.summarize({
      mix: 'mix', title: 'pages', kinds: ['short', 'long'], from: 10, until: 1000,
      rows: [{ contender: 'plain', name: 'plain', runs: [{
        visitors: pages.map(([time, name]) => ({ time, name })),
        results: pages.map(([, , ms]) => ({ outcome, ms })), lateness, waiting,
      }] }],
    });
    const { rows: [{ kinds: { short, long } }] } = cellOf();
    assert.deepEqual([short.sent, short.served, short.mean, short.p50], [2, 2, 6, 6]);
    assert.deepEqual([long.sent, long.p99, long.time], [1, 200, 150]);
    const faults = (options, pinned = true) =>
      findFaults([cellOf(options)], { pinned }, { lateP99: 3 }).length;
    const bad = [{ lateness: [0, 50] }, { waiting: 15 }, { outcome: 'failed' }];
    assert.deepEqual([{}, ...bad].map((options) => faults(options)), [0, 1, 1, 1]);
    assert.equal(faults({}, false), 1);
  });

  it('report are the median ratio of the rounds, each to the mean of both without', () => {
    // The machine is slower in the second round.
    const judged = (...ratios) => {
      const runs = [[1, 7, 2], [2, 8, 2].map((ms, i) => ms * ratios[i]), [3, 9, 2]];
      const names = ['without', 'with the flag', 'without, again'];
      const rows = names.map((name, i) => ({ name, runs: runs[i] }));
      const cell = report.summarize({ title: 'a site', rows });
      return [cell.rows[1].ratio, report.judge([cell])[0].met];
    };
    assert.deepEqual(judged(1.5, 1.0, 1.005), [1.005, true]);
    assert.deepEqual(judged(1.04, 1.0, 1.5), [1.04, false]);
  });
});

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
