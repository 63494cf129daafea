'use strict';

// The parts of bench/equals that compute: which pages are asked for and when, and the figures.

const assert = require('node:assert/strict');
const { findFaults, judge } = require('../../bench/equals/goals.js');
const { WORKLOADS, createRequests } = require('../../bench/equals/requests.js');
const { summarize } = require('../../bench/equals/statistics.js');

const SEED = 7;

// The time that the pages of requests take, in ms.
function workOf(requests, { kinds }) {
  const times = new Map(kinds.map(({ name, count, ms }) => [name, count * ms]));
  return requests.reduce((sum, { name }) => sum + times.get(name), 0);
}

describe('the requests of bench:equals', () => {
  for (const [name, workload] of Object.entries(WORKLOADS)) {
    it(`of ${name} are the same for the same seed, and others for another`, () => {
      const requests = (seed) => createRequests(workload, { load: 0.6, seconds: 5, seed });
      assert.deepEqual(requests(SEED), requests(SEED));
      assert.notDeepEqual(requests(SEED), requests(SEED + 1));
    });

    it(`of ${name} take the share of the thread that is asked for`, () => {
      const seconds = 2_000;
      for (const load of [0.3, 0.6]) {
        const requests = createRequests(workload, { load, seconds, seed: SEED });
        const share = workOf(requests, workload) / (seconds * 1000);
        assert.ok(Math.abs(share - load) < 0.05 * load, `${share} instead of ${load}`);
      }
    });

    it(`of ${name} have kinds whose shares add up to 1`, () => {
      const sum = workload.kinds.reduce((total, { share }) => total + share, 0);
      assert.ok(Math.abs(sum - 1) < 1e-9, `${sum}`);
    });
  }
});

// A row with a run of pages: [when asked for, kind, how long it took].
function rowOf(contender, pages, { lateness = [0], waiting = 0, outcome = 'served' } = {}) {
  const requests = pages.map(([time, name]) => ({ time, name }));
  const results = pages.map(([, , ms]) => ({ outcome, ms }));
  return { contender, name: contender, runs: [{ requests, results, lateness, waiting }] };
}

const cellOf = (...rows) => summarize({ title: 'pages', kinds: ['short', 'long'], from: 10, rows });

describe('the figures of bench:equals', () => {
  const pages = [[0, 'short', 900], [10, 'short', 4], [20, 'long', 200], [30, 'short', 8]];

  it('are those of the pages of each kind that were asked for after the beginning', () => {
    const { rows: [{ kinds }] } = cellOf(rowOf('plain', pages));
    const { pages: count, mean, p50, p90, p99 } = kinds.short;
    assert.deepEqual({ count, mean, p50 }, { count: 2, mean: 6, p50: 6 });
    assert.ok(p50 < p90 && p90 < p99 && p99 < 8, `${p90}, ${p99}`);
    assert.deepEqual(kinds.long, { pages: 1, mean: 200, p50: 200, p90: 200, p99: 200 });
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

  it('are not valid if requests were late or failed, or others had the processor', () => {
    const faults = (options) => findFaults([cellOf(rowOf('plain', pages, options))], true).length;
    assert.equal(faults({}), 0);
    assert.equal(faults({ lateness: [0, 50] }), 1);
    assert.equal(faults({ waiting: 15 }), 1);
    assert.equal(faults({ outcome: 'failed' }), 1);
    assert.equal(findFaults([], false).length, 1);
  });
});
