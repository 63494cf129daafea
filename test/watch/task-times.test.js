'use strict';

// The distributions of times that a TaskMonitor shows: their bounds, and what the histograms keep.

const assert = require('node:assert/strict');
const { setImmediate: turn } = require('node:timers/promises');
const { scheduler } = require('../..');
const { Distribution } = require('../../lib/watch/distribution.js');
const { enabledMonitor, separateTests } = require('../helpers/watch.js');

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
    assert.deepEqual(bounds, [...BOUNDS.map((bound) => bound / 1e9), Infinity]);
  });

  it('include their bounds exactly', () => {
    for (const bound of BOUNDS) {
      for (const [time, isIncluded] of [[bound - 1, true], [bound, true], [bound + 1, false]]) {
        const { count } = distributionOf(time).buckets.find(({ le }) => le === bound / 1e9);
        assert.equal(count, isIncluded ? 1 : 0, `${time} in the bucket up to ${bound}`);
      }
    }
  });

  it('are cumulative, and the last one has all', () => {
    const times = randomTimes(10_000);
    const { buckets, count } = distributionOf(...times);
    assert.equal(count, times.length);
    assert.equal(buckets.at(-1).count, times.length);
    for (const { le, count: upTo } of buckets) {
      assert.equal(upTo, times.filter((time) => time <= le * 1e9).length, `up to ${le}`);
    }
  });

  it('take the shortest and the longest times', () => {
    const { buckets, count, sum } = distributionOf(-5, 0, 1, 2 ** 60);
    assert.equal(count, 4);
    assert.equal(buckets[0].count, 3);
    assert.equal(buckets.at(-2).count, 3);
    assert.equal(buckets.at(-1).count, 4);
    assert.ok(sum > 2 ** 50);
  });
});

describe('the histogram of a distribution', () => {
  it('has the same times, within 1 %', () => {
    const times = randomTimes(20_000).sort((one, other) => one - other);
    const { histogram } = distributionOf(...times);
    assert.equal(histogram.count, times.length);
    for (const percentile of [0.01, 1, 10, 25, 50, 75, 90, 99, 99.9, 100]) {
      const exact = times[Math.ceil(times.length * percentile / 100) - 1];
      const value = histogram.percentile(percentile);
      // Whole nanoseconds, for the shortest ones.
      assert.ok(Math.abs(value - exact) <= Math.max(1, exact * 0.01), `${value}, not ${exact}`);
    }
    const mean = times.reduce((all, time) => all + time, 0) / times.length;
    assert.ok(Math.abs(histogram.mean - mean) <= mean * 0.01);
  });

  it('agrees with the buckets, also if times are added after it was read', () => {
    const distribution = distributionOf();
    const { histogram } = distribution;
    const times = randomTimes(3000);
    for (const [i, time] of times.entries()) {
      distribution.record(time);
      if (i % 500 !== 0) continue;
      assert.equal(distribution.histogram, histogram);
      assert.equal(histogram.count, i + 1);
      assert.equal(distribution.buckets.at(-1).count, i + 1);
    }
    assert.ok(Math.abs(distribution.histogram.max - Math.max(...times)) <= histogram.max * 0.01);
    assert.ok(Math.abs(histogram.min - Math.min(...times)) <= 1);
  });

  it('is empty and the same object after a reset', () => {
    const distribution = distributionOf(...randomTimes(100));
    const { histogram } = distribution;
    distribution.reset();
    assert.deepEqual([distribution.count, distribution.sum, histogram.count], [0, 0, 0]);
    assert.ok(distribution.buckets.every(({ count }) => count === 0));
    distribution.record(1000);
    assert.equal(distribution.histogram, histogram);
    assert.equal(histogram.count, 1);
  });
});

describe('the times of a TaskMonitor', () => {
  separateTests();

  it('are those of its tasks: histogram, buckets, count and sum agree', async () => {
    const monitor = enabledMonitor();
    await Promise.all(Array.from({ length: 100 }, () => scheduler.postTask(() => {})));
    await turn();
    for (const times of Object.values(monitor.priorities['user-visible']).slice(0, 2)) {
      assert.equal(times.count, 100);
      assert.equal(times.buckets.at(-1).count, 100);
      assert.equal(times.histogram.count, 100);
      const mean = times.sum / times.count * 1e9;
      assert.ok(Math.abs(times.histogram.mean - mean) <= mean * 0.01 + 1);
      assert.equal(times.histogram, times.histogram);
    }
  });
});
