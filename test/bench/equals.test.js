'use strict';

// The parts of bench/equals that compute: which pages are asked for and when, the ideal thread, and
// the figures.

const assert = require('node:assert/strict');
const fc = require('fast-check');
const { summarize } = require('../../bench/equals/cells.js');
const { judge } = require('../../bench/equals/goals.js');
const { serveIdeally } = require('../../bench/equals/ideal.js');
const { MIXES, createVisitors, kindOf } = require('../../bench/equals/mixes.js');
const { findFaults } = require('../../bench/open-loop.js');

const SEED = 7;

describe('the visitors of bench equals', () => {
  for (const [name, mix] of Object.entries(MIXES)) {
    it(`of ${name} are the same for the same seed, and others for another`, () => {
      const visitors = (seed) => createVisitors(mix, { load: 0.6, seconds: 5, seed });
      assert.deepEqual(visitors(SEED), visitors(SEED));
      assert.notDeepEqual(visitors(SEED), visitors(SEED + 1));
    });

    it(`of ${name} take the share of the thread that is asked for`, () => {
      const seconds = 2_000;
      for (const load of [0.3, 0.6]) {
        const visitors = createVisitors(mix, { load, seconds, seed: SEED });
        const work = visitors.map(({ name: kind }) => kindOf(mix, kind))
          .reduce((sum, { count, ms }) => sum + count * ms, 0);
        const share = work / (seconds * 1000);
        assert.ok(Math.abs(share - load) < 0.05 * load, `${share} instead of ${load}`);
      }
    });

    it(`of ${name} have kinds whose shares add up to 1`, () => {
      const sum = mix.kinds.reduce((total, { share }) => total + share, 0);
      assert.ok(Math.abs(sum - 1) < 1e-9, `${sum}`);
    });
  }
});

// The same thread, but piece by piece, and searched through anew each time.
function serveNaively(visitors, kindOfName) {
  const kinds = visitors.map(({ name }) => kindOfName(name));
  const left = kinds.map(({ count, ms }) => count * ms);
  const times = visitors.map(() => null);
  for (let now = 0; times.includes(null);) {
    const waiting = [...visitors.keys()].filter((i) => visitors[i].time <= now && left[i] > 0);
    const [next] = waiting.sort((a, b) => left[a] - left[b] || a - b);
    if (next === undefined) {
      now++;
      continue;
    }
    now += kinds[next].ms;
    left[next] -= kinds[next].ms;
    if (left[next] === 0) times[next] = now - visitors[next].time;
  }
  return times;
}

describe('the ideal thread of bench equals', () => {
  const small = fc.integer({ min: 1, max: 5 });
  const visitor = fc.record({
    time: fc.integer({ min: 0, max: 80 }), name: fc.record({ count: small, ms: small }),
  });
  const crowds = fc.array(visitor)
    .map((visitors) => visitors.sort((a, b) => a.time - b.time));
  const itself = (name) => name;

  it('serves as a naive model does', () => {
    fc.assert(fc.property(crowds, (visitors) => {
      assert.deepEqual(serveIdeally(visitors, itself), serveNaively(visitors, itself));
    }));
  });

  it('interrupts a long page for short ones, behind the piece that is under way', () => {
    const visitors = [[0, 5, 2], [1, 3, 1], [2, 1, 1], [9, 1, 2]]
      .map(([time, count, ms]) => ({ time, name: { count, ms } }));
    assert.deepEqual(serveIdeally(visitors, itself), [16, 5, 1, 3]);
  });
});

// A row with a run of pages: [when asked for, kind, how long it took].
function rowOf(contender, pages, { lateness = [0], waiting = 0, outcome = 'served' } = {}) {
  const visitors = pages.map(([time, name]) => ({ time, name }));
  const results = pages.map(([, , ms]) => ({ outcome, ms }));
  return { contender, name: contender, runs: [{ visitors, results, lateness, waiting }] };
}

const cellOf = (...rows) =>
  summarize({ mix: 'mix', title: 'pages', kinds: ['short', 'long'], from: 10, rows });

describe('the figures of bench equals', () => {
  const pages = [[0, 'short', 900], [10, 'short', 4], [20, 'long', 200], [30, 'short', 8]];

  it('are those of the pages of each kind that were asked for after the beginning', () => {
    const { rows: [{ kinds }] } = cellOf(rowOf('plain', pages));
    const { count, mean, p50, p90, p99 } = kinds.short;
    assert.deepEqual({ count, mean, p50 }, { count: 2, mean: 6, p50: 6 });
    assert.ok(p50 < p90 && p90 < p99 && p99 < 8, `${p90}, ${p99}`);
    assert.deepEqual(kinds.long, { count: 1, mean: 200, p50: 200, p90: 200, p99: 200 });
  });

  it('meet the goals where each percentile of short pages is at most that of setImmediate', () => {
    const slower = pages.map(([time, name, ms]) => [time, name, ms + 1]);
    const cell = cellOf(rowOf('immediate', pages), rowOf('shouldYield', pages),
      rowOf('pieces', slower));
    const met = judge([cell]).map(({ text, met: isMet }) => [text.split(':')[0], isMet]);
    assert.deepEqual(met, [
      ...Array(3).fill(['shouldYield', true]),
      ...Array(3).fill(['pieces', false]),
    ]);
  });

  it('of requests that are known are compared with those of the ideal thread', () => {
    const [{ kinds }] = cellOf(rowOf('plain', pages)).rows;
    const times = (factor) => Object.fromEntries(Object.entries(kinds).map(([kind, figures]) => {
      return [kind, Object.fromEntries(Object.entries(figures).map(([name, value]) => {
        return [name, value * factor];
      }))];
    }));
    const row = (contender, factor) => ({ contender, name: contender, kinds: times(factor) });
    const met = (factor) => judge([{
      title: 'a mix', kinds: Object.keys(kinds), ideal: { name: 'ideal', kinds },
      rows: [row('controllerFor', factor)],
    }]).map(({ met: isMet }) => isMet);
    assert.deepEqual([met(1.3), met(1.4), met(1.6), met(2.1)].map((each) => each.filter(Boolean)
      .length), [4, 3, 1, 0]);
  });

  it('are not valid if requests were late or failed, or others had the processor', () => {
    const limits = { lateP99: 3 };
    const faults = (options) =>
      findFaults([cellOf(rowOf('plain', pages, options))], true, limits).length;
    assert.equal(faults({}), 0);
    assert.equal(faults({ lateness: [0, 50] }), 1);
    assert.equal(faults({ waiting: 15 }), 1);
    assert.equal(faults({ outcome: 'failed' }), 1);
    assert.equal(findFaults([], false, limits).length, 1);
  });
});
