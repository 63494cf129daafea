'use strict';

// The distributions of times that a TaskMonitor shows: their bounds and percentiles.

const assert = require('node:assert/strict');
require('../..');
const { Distribution } = require('../../lib/watch/distribution.js');

const BOUNDS = Array.from({ length: 17 }, (_, i) => 1e5 * 2 ** i);

function distributionOf(...times) {
  const distribution = new Distribution();
  for (const time of times) distribution.record(time);
  return distribution;
}

// Pairs of times over the whole range, from a fixed seed.
function randomTimes(count) {
  let state = 1;
  const random = () => (state = state * 48_271 % 2_147_483_647) / 2_147_483_647;
  return Array.from({ length: count }, () => Math.ceil(2 ** (random() * 40)));
}

describe('the buckets of a distribution', () => {
  it('have the bounds that are documented', () => {
    const bounds = distributionOf().buckets.map(({ le }) => le);
    assert.deepEqual(bounds, [...BOUNDS.map((bound) => bound / 1e6), Infinity]);
  });

  it('include their bounds exactly, are cumulative, and the last one has all', () => {
    const edges = [-5, 0, ...BOUNDS.flatMap((bound) => [bound - 1, bound, bound + 1]), 2 ** 60];
    const times = [...randomTimes(10_000), ...edges];
    const { buckets, count } = distributionOf(...times);
    assert.equal(count, times.length);
    assert.equal(buckets.at(-1).count, times.length);
    for (const { le, count: upTo } of buckets) {
      assert.equal(upTo, times.filter((time) => time / 1e6 <= le).length, `up to ${le}`);
    }
  });
});

describe('the values of a distribution', () => {
  it('have percentiles within 1 %, and the exact least, most and mean', () => {
    const times = randomTimes(20_000).sort((one, other) => one - other);
    const distribution = distributionOf(...times);
    for (const percent of [0.01, 1, 10, 25, 50, 75, 90, 99, 99.9, 100]) {
      const exact = times[Math.ceil(times.length * percent / 100) - 1];
      const value = distribution.percentile(percent) * 1e6;
      // Whole nanoseconds, for the shortest ones.
      assert.ok(Math.abs(value - exact) <= Math.max(1, exact * 0.01), `${value}, not ${exact}`);
    }
    const sum = times.reduce((all, time) => all + time, 0) / 1e6;
    assert.ok(Math.abs(distribution.sum - sum) <= sum * 1e-9);
    assert.equal(distribution.mean, distribution.sum / times.length);
    assert.deepEqual([distribution.min, distribution.max], [times[0] / 1e6, times.at(-1) / 1e6]);
  });

  it('are 0 where nothing was recorded, and after a reset', () => {
    const recorded = distributionOf(...randomTimes(100));
    recorded.reset();
    for (const each of [distributionOf(), recorded]) {
      const { count, sum, min, max, mean, buckets } = each;
      assert.deepEqual([count, sum, min, max, mean, each.percentile(99)], [0, 0, 0, 0, 0, 0]);
      assert.ok(buckets.every((bucket) => bucket.count === 0));
    }
  });

  it('of a copy stay', () => {
    const distribution = distributionOf(1e6);
    const copy = distribution.copy();
    distribution.record(2e6);
    assert.deepEqual(copy.toJSON(), distributionOf(1e6).toJSON());
  });
});
