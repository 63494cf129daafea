'use strict';

// The parts of bench/equals that compute: the ideal thread, and the figures.
// @lane long
// @host any

const assert = require('node:assert/strict');
const { judge, summarize } = require('../../bench/equals/index.js');
const { serveIdeally } = require('../../bench/equals/ideal.js');
const { findFaults } = require('../../bench/harness/open-loop.js');

describe('the ideal thread of bench equals', () => {
  it('works at the page that has the least left, between two pieces, each page with a cost', () => {
    const visitors = [
      { time: 0, name: { count: 3, ms: 4 } },
      { time: 1, name: { count: 1, ms: 5 } },
      { time: 6, name: { count: 2, ms: 1 } },
      { time: 30, name: { count: 1, ms: 1 } },
    ];
    const serve = (cost) => serveIdeally(visitors, (name) => name, cost);
    assert.deepEqual([0, 1].map(serve), [[19, 8, 5, 1], [22, 10, 8, 2]]);
  });
});

// A row with a run of pages: [when asked for, kind, how long it took].
function rowOf(contender, pages, { lateness = [0], waiting = 0, outcome = 'served' } = {}) {
  const visitors = pages.map(([time, name]) => ({ time, name }));
  const results = pages.map(([, , ms]) => ({ outcome, ms }));
  return { contender, name: contender, runs: [{ visitors, results, lateness, waiting }] };
}

const UNTIL = 1000;

const cellOf = (...rows) =>
  summarize({ mix: 'mix', title: 'pages', kinds: ['short', 'long'], from: 10, until: UNTIL, rows });

describe('the figures of bench equals', () => {
  const pages = [[0, 'short', 900], [10, 'short', 4], [20, 'long', 200], [30, 'short', 8]];

  it('are those of the pages of each kind that were asked for after the beginning', () => {
    const { rows: [{ kinds }] } = cellOf(rowOf('plain', pages));
    const { sent, served, mean, p50, p90, p99 } = kinds.short;
    assert.deepEqual({ sent, served, mean, p50 }, { sent: 2, served: 2, mean: 6, p50: 6 });
    assert.ok(p50 < p90 && p90 < p99 && p99 < 8, `${p90}, ${p99}`);
    const times = { mean: 200, p50: 200, p90: 200, p99: 200 };
    assert.deepEqual(kinds.long, { sent: 1, served: 1, share: 1, ...times, time: 150 });
  });

  it('of requests that are known are compared with those of the ideal thread', () => {
    const cellAt = (factor) => {
      const slower = pages.map(([time, name, ms]) => [time, name, ms * factor]);
      return cellOf(rowOf('controllerFor', slower));
    };
    const [{ kinds }] = cellAt(1).rows;
    const countMet = (factor) => judge([{ ...cellAt(factor), ideal: { name: 'ideal', kinds } }])
      .filter(({ met }) => met).length;
    assert.deepEqual([1.3, 1.4, 1.6, 2.1].map(countMet), [4, 3, 1, 0]);
  });

  // Judges a cell of a mix whose rows have these kinds, and returns which goals are met.
  const judgeRows = (mix, [own, alone]) => judge([{
    mix, title: mix, kinds: Object.keys(own), ideal: null,
    rows: [own, ...(alone === undefined ? [] : [alone])].map((kinds, i) =>
      ({ contender: 'controllerFor', name: 'a row', kinds, isAlone: i === 1 })),
  }]).map(({ met }) => met);

  const weights = (heavy, light) => [{ heavy: { time: heavy }, light: { time: light } }];
  const tenants = (p99, served) => [{ small: { sent: 5, served, p99 }, flood: {} },
    { small: { sent: 5, served: 5, p99: 10 } }];
  const stream = (p99) => [{ short: { p99: 10 }, long: {}, event: { p99 } }];
  const background = (p99) => [{ task: { p99 }, keyed: { p99: 1 } }];

  it('of weights, tenants beside a flood, events and background tasks have their goals', () => {
    for (const [mix, rows, expected] of [
      ['weights', weights(300, 100), [true]], ['weights', weights(285, 99), [true]],
      ['weights', weights(280, 100), [false]], ['weights', weights(320, 100), [false]],
      ['weights', weights(0, 0), [null]],
      ['tenants', tenants(15, 5), [true, true]], ['tenants', tenants(16, 4), [false, false]],
      ['stream', stream(20), [true]], ['stream', stream(21), [false]],
      ['stream', stream(null), [null]],
      ['background', background(10), [true, true]], ['background', background(11), [false, true]],
      ['background', background(null), [null, true]],
    ]) {
      assert.deepEqual(judgeRows(mix, rows), expected, `${mix}: ${JSON.stringify(rows)}`);
    }
  });

  it('are not valid if requests were late or failed, or others had the processor', () => {
    const limits = { lateP99: 3 };
    const faults = (options) =>
      findFaults([cellOf(rowOf('plain', pages, options))], { pinned: true }, limits).length;
    assert.equal(faults({}), 0);
    assert.equal(faults({ lateness: [0, 50] }), 1);
    assert.equal(faults({ waiting: 15 }), 1);
    assert.equal(faults({ outcome: 'failed' }), 1);
    assert.equal(findFaults([], { pinned: false }, limits).length, 1);
  });
});
