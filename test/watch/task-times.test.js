'use strict';

// The distributions of times that a TaskMonitor shows: their bounds and percentiles.
// @host portable

const assert = require('node:assert/strict');
require('../..');
const { Distribution } = require('../../lib/watch/distribution.js');

const BOUNDS = Array.from({ length: 17 }, (_, i) => 1e5 * 2 ** i);

function distributionOf(...times) {
  const distribution = new Distribution();
  for (const time of times) distribution.record(time);
  return distribution;
}

// Times over the whole range, from a fixed seed.
function randomTimes(count) {
  let state = 1;
  const random = () => (state = state * 48_271 % 2_147_483_647) / 2_147_483_647;
  return Array.from({ length: count }, () => Math.ceil(2 ** (random() * 40)));
}

describe('a distribution', () => {
  it('has the buckets that are documented, which include their bounds and are cumulative', () => {
    const edges = [-5, 0, ...BOUNDS.flatMap((bound) => [bound - 1, bound, bound + 1]), 2 ** 60];
    const times = [...randomTimes(10_000), ...edges];
    const expected = [...BOUNDS, Infinity].map((bound) => {
      return { le: bound / 1e6, count: times.filter((time) => time <= bound).length };
    });
    assert.deepEqual(distributionOf(...times).buckets, expected);
  });

  it('has percentiles within 1 %, and the exact count, least, most and mean', () => {
    const times = randomTimes(20_000).sort((one, other) => one - other);
    const distribution = distributionOf(...times);
    for (const percent of [0.01, 1, 10, 25, 50, 75, 90, 99, 99.9, 100]) {
      const exact = times[Math.ceil(times.length * percent / 100) - 1];
      const value = distribution.percentile(percent) * 1e6;
      // Whole nanoseconds, for the shortest ones.
      assert.ok(Math.abs(value - exact) <= Math.max(1, exact * 0.01), `${value}, not ${exact}`);
    }
    const all = times.reduce((sum, time) => sum + time, 0) / 1e6;
    const { count, sum, min, max, mean } = distribution;
    assert.ok(Math.abs(sum - all) <= all * 1e-9);
    assert.deepEqual([count, min, max, mean], [
      times.length, times[0] / 1e6, times.at(-1) / 1e6, sum / times.length,
    ]);
  });

  it('has zeros where nothing was recorded, and after a reset', () => {
    const recorded = distributionOf(...randomTimes(100));
    recorded.reset();
    for (const each of [distributionOf(), recorded]) {
      const { count, sum, min, max, mean, buckets } = each;
      assert.deepEqual([count, sum, min, max, mean, each.percentile(99)], [0, 0, 0, 0, 0, 0]);
      assert.ok(buckets.every((bucket) => bucket.count === 0));
    }
  });

  it('has the time 0 as it is', () => {
    const distribution = distributionOf(0, 0);
    const { count, sum, min, max } = distribution;
    assert.deepEqual([count, sum, min, max, distribution.percentile(50)], [2, 0, 0, 0, 0]);
  });

  it('has copies that stay', () => {
    const distribution = distributionOf(1e6);
    const copy = distribution.copy();
    distribution.record(2e6);
    assert.deepEqual(copy.toJSON(), distributionOf(1e6).toJSON());
  });
});
