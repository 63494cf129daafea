'use strict';

// The parts of bench/overload that compute: who arrives and when, the ideal queue, and the figures.
// @lane whole
// @host any

const assert = require('node:assert/strict');
const { serveIdeally } = require('../../bench/overload/ideal.js');
const { goodputOf, lastUnserved, summarizeVisits } = require('../../bench/overload/figures.js');
const { CLASSES, createVisitors } = require('../../bench/overload/visitors.js');

const SEED = 7;

// Enough visitors that the number of a Poisson process differs from its mean by less than a
// fortieth, and that of a class by less than a tenth, but for one seed in a hundred.
const MANY = { perSecond: 500, seconds: 30 };
const EXPECTED = MANY.perSecond * MANY.seconds;

const assertNear = (actual, expected, part) =>
  assert.ok(Math.abs(actual - expected) <= part * expected, `${actual} and not ${expected}`);

describe('the visitors of bench overload', () => {
  it('arrive as often as asked, at intervals of a Poisson process, the same for a seed', () => {
    const visitors = createVisitors([MANY], SEED);
    assert.deepEqual(createVisitors([MANY], SEED), visitors);
    assert.notDeepEqual(createVisitors([MANY], SEED + 1), visitors);
    assertNear(visitors.length, EXPECTED, 0.025);
    const intervals = visitors.slice(1).map(({ time }, i) => time - visitors[i].time);
    const mean = intervals.reduce((sum, each) => sum + each, 0) / intervals.length;
    assert.ok(intervals.every((each) => each >= 0), 'they arrive in order');
    // Of an exponential distribution, a share of 1/e is longer than the mean.
    const longer = intervals.filter((each) => each > mean).length / intervals.length;
    assertNear(longer, 1 / Math.E, 0.04);
  });
});

describe('the ideal queue of bench overload', () => {
  it('serves the most important who came first, and nobody who would leave before the end', () => {
    const [first, , last] = CLASSES.map(({ name }) => name);
    const arrivals = [[0, last], [1, last], [2, first], [3, first], [4, last], [50, last]];
    const visitors = arrivals.map(([time, name]) => ({ time, name }));
    const results = serveIdeally(visitors, { service: 10, patience: 32 });
    assert.deepEqual(results.map(({ outcome, ms }) => [outcome, ms]), [
      ['served', 10], ['left', 32], ['served', 18], ['served', 27], ['left', 32], ['served', 10],
    ]);
  });
});

describe('the figures of bench overload', () => {
  const visits = [
    { time: 0, outcome: 'served', ms: 10, tries: 1, end: 10 },
    { time: 5, outcome: 'served', ms: 30, tries: 1, end: 35 },
    { time: 40, outcome: 'refused', ms: 4, tries: 3, end: 44 },
    { time: 50, outcome: 'left', ms: 1000, tries: 1, end: 1050 },
    { time: 60, outcome: 'served', ms: 50, tries: 2, end: 110 },
    { time: 120, outcome: 'served', ms: 1, tries: 1, end: 121 },
  ];

  it('count what became of each visitor, and the times of those who were served', () => {
    const { sent, served, refused, left, failed, share, mean, p50 } = summarizeVisits(visits);
    assert.deepEqual({ sent, served, refused, left, failed },
      { sent: 6, served: 4, refused: 1, left: 1, failed: 0 });
    assert.equal(share, 4 / 6);
    assert.equal(mean, 91 / 4);
    assert.equal(p50, 20);
  });

  it('have as goodput the pages that were complete in time, per second', () => {
    assert.equal(goodputOf(visits, 0, 100), 20);
    assert.equal(goodputOf(visits, 30, 120), 2 / 90 * 1000);
  });

  it('tell how long after a burst the last visitor arrived who was not served', () => {
    assert.equal(lastUnserved(visits, 30), 20);
    assert.equal(lastUnserved(visits, 100), 0);
  });
});
