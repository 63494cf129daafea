'use strict';

// The parts of bench/papers that compute: the requests, the ideal threads and the figures. Its runs
// are tested in ../ecosystem/benches.test.js.
// @lane whole
// @host any

const assert = require('node:assert/strict');
const ideals = require('../../bench/papers/ideals.js');
const papers = require('../../bench/papers');
const { UNIT, WORKLOADS, pathsOf, typeOf, unitsOf } = require('../../bench/papers/workloads.js');

it('the types of bench papers have units that add up, by rising times', () => {
  for (const [workload, { types }] of Object.entries(WORKLOADS)) {
    assert.deepEqual(types, types.toSorted((one, other) => one.ms - other.ms));
    const paths = pathsOf(workload);
    for (const { name, of, ms } of types) {
      const units = unitsOf(typeOf(workload, name));
      assert.ok(units.ms <= UNIT && Math.abs(units.count * units.ms - ms) < 1e-6, `${name}: ${ms}`);
      assert.equal(paths.filter((each) => each === `/${name}`).length, of);
    }
  }
});

describe('the ideal threads of bench papers', () => {
  const TIMES = { long: 10, middle: 4, short: 1 };
  const typeFor = (name) => ({ ms: TIMES[name] });
  const arriving = (...visitors) => visitors.map(([time, name]) => ({ time, name }));
  const visitors = arriving([0, 'long'], [2, 'middle'], [3, 'short'], [20, 'short']);

  it('serve each in their own order, and with a cost of each request', () => {
    const expected = {
      inOrder: [10, 12, 12, 1],
      shortestRest: [15, 5, 1, 1],
      // No request is interrupted.
      shortestType: [10, 13, 8, 1],
      // The long one has 8 left at 2 and 7.5 at 3, when the middle one has 3.5.
      sharing: [15, 9, 3, 1],
    };
    for (const [name, times] of Object.entries(expected)) {
      assert.deepEqual(ideals[name](visitors, typeFor).map((time) => +time.toFixed(6)), times);
    }
    const both = arriving([0, 'short'], [0, 'short']);
    assert.deepEqual(ideals.shortestRest(both, typeFor, 1), [2, 4]);
  });
});

describe('the figures of bench papers', () => {
  // Short requests that came alone, each `ms` after it was sent, and a long one after them.
  function cellOf(contenders) {
    const options = { seconds: 8, loads: [0.8], workloads: ['high'] };
    const [cell] = papers.plan({ ...options, contenders: Object.keys(contenders) });
    const visitors = [0, 20, 40].map((time) => ({ time, name: 'short' }))
      .concat({ time: 60, name: 'long' });
    for (const row of cell.rows) {
      const ms = contenders[row.contender];
      row.runs.push({
        visitors, lateness: [1, 1, 1, 1], cpu: 10.3 + 4 * 0.2, waiting: 0,
        results: visitors.map(({ name }) => {
          return { outcome: 'served', ms: 1 + (name === 'long' ? 12 : ms) };
        }),
      });
    }
    return papers.summarize(cell);
  }

  it('say for each of our contenders whether the goal is met, and judge one', () => {
    const cell = cellOf({ plain: 1, sizes: 0.19, priorities: 0.5 });
    assert.deepEqual(papers.judge([cell]).map(({ met }) => met), [false, true]);
    const ratios = papers.columns(cell).slice(-3, -1);
    const texts = ['plain', 'sizes', 'priorities'].map((name) => {
      const row = cell.rows.find(({ contender }) => contender === name);
      return ratios.map(({ value }) => value(row));
    });
    assert.deepEqual(texts, [
      ['10.0', '3.3'], ['1.9, met', '0.6, met'], ['5.0, missed', '1.7, met'],
    ]);
  });
});
