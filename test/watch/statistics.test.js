'use strict';

// The values of a TaskMonitor in bounded memory: distributions of times, the slowest callbacks
// within a window, and the labels with most time.
// @host portable

const assert = require('node:assert/strict');
const fc = require('fast-check');
const { scheduler } = require('uv-scheduler');
const { monitorTasks } = require('uv-scheduler/watch');
const { Distribution } = require('../../lib/watch/distribution.js');
const { ExportedLabels } = require('../../lib/watch/exported-labels.js');
const { LabelTimes } = require('../../lib/watch/label-times.js');
const { Longest } = require('../../lib/watch/longest.js');
const { enabledMonitor, useClock } = require('../helpers/watch.js');

const VISIBLE = 1;
const SLICES = 16;

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

describe('the slowest callbacks of a TaskMonitor', () => {
  const clock = useClock();

  it('say when they started, and are forgotten when they have left the window', async () => {
    const monitor = monitorTasks({ window: 1000 });
    monitor.enable();
    for (const label of ['first', 'slow']) clock.post(label === 'slow' ? 20 : 10, { label });
    await clock.run();
    const [slow, first] = monitor.longest;
    assert.deepEqual([slow, first].map(({ label, duration }) => [label, duration]),
      [['slow', 20], ['first', 10]]);
    assert.equal(Math.round(1000 * (slow.startedAt - first.startedAt)), 10_000);
    const labelsAfter = async (ms) => {
      await clock.advance(ms);
      return monitor.longest.map(({ label }) => label);
    };
    assert.deepEqual(await labelsAfter(979), ['slow', 'first']);
    assert.deepEqual(await labelsAfter(1), ['slow']);
    assert.deepEqual(await labelsAfter(20), []);
    assert.equal(monitor.priorities['user-visible'].duration.count, 2);
    monitor.disable();
  });
});

describe('the slowest callbacks in a window', () => {
  it('are all that a simple search finds, but for the oldest slice', () => {
    const windows = fc.constantFrom(1600, Infinity);
    // Pauses and durations.
    const steps = fc.array(
      fc.tuple(fc.nat({ max: 60 }), fc.integer({ min: 1, max: 200 })),
      { minLength: 1, maxLength: 400, size: 'max' },
    );
    fc.assert(fc.property(steps, windows, fc.nat({ max: 3200 }), (list, window, later) => {
      const longest = new Longest(window);
      const all = [];
      let now = 0;
      for (const [pause, duration] of list) {
        const startedAt = now + pause;
        now = startedAt + duration;
        all.push({ startedAt, endedAt: now, duration });
        longest.record('label', VISIBLE, startedAt, now);
      }
      now += later;
      const inWindow = all.filter(({ endedAt }) => now - endedAt < window);
      inWindow.sort((one, other) => other.duration - one.duration);
      const found = longest.read(now);
      assert.ok(found.length <= 10);
      const isFound = (each) => found.some(({ startedAt }) => startedAt === each.startedAt);
      for (const { startedAt, duration } of found) {
        assert.equal(inWindow.find((each) => each.startedAt === startedAt)?.duration, duration);
      }
      const least = found.length < 10 ? 0 : found.at(-1).duration;
      for (const each of inWindow.slice(0, 10)) {
        const isOld = now - each.endedAt >= window - window / SLICES;
        assert.ok(isFound(each) || each.duration === least || isOld, `${each.startedAt}`);
      }
    }));
  });
});

describe('the labels of a TaskMonitor', () => {
  const clock = useClock();

  it('are those of tasks, the one with most time first', async () => {
    const monitor = enabledMonitor();
    clock.post(4, { label: 'index', priority: 'background' });
    for (const ms of [4, 6, 5]) clock.post(ms, { label: 'render' });
    scheduler.postTask(function named() {
      clock.spend(1);
    });
    await clock.run();
    assert.deepEqual(monitor.labels, [
      { label: 'render', priority: 'user-visible', count: 3, time: 15, max: 6 },
      { label: 'index', priority: 'background', count: 1, time: 4, max: 4 },
      { label: 'named', priority: 'user-visible', count: 1, time: 1, max: 1 },
    ]);
  });

  it('are at most 100, those with most time', async () => {
    const monitor = enabledMonitor();
    for (let i = 0; i < 150; i++) clock.post(1, { label: `short ${i}` });
    clock.post(5, { label: 'long' });
    await clock.run();
    assert.equal(monitor.labels.length, 100);
    assert.equal(monitor.labels[0].label, 'long');
  });
});

describe('the counters of labels', () => {
  it('never say too much, and lack at most 1/512 of all time', () => {
    // Some labels often, others once.
    const label = fc.oneof(fc.nat({ max: 50 }), fc.nat({ max: 3000 }), fc.nat()).map(String);
    const step = fc.record({ label, time: fc.nat({ max: 1000 }) });
    const programs = fc.array(step, { minLength: 3000, maxLength: 6000, size: 'max' });
    fc.assert(fc.property(programs, (steps) => {
      const counters = new LabelTimes();
      const truth = new Map();
      for (const { label: name, time } of steps) {
        counters.record(name, VISIBLE, time);
        const { count, time: before, max } = truth.get(name) ?? { count: 0, time: 0, max: 0 };
        truth.set(name, { count: count + 1, time: before + time, max: Math.max(max, time) });
      }
      const most = steps.reduce((sum, { time }) => sum + time, 0) / 512;
      const shown = new Map(counters.top.map((each) => [each.label, each]));
      for (const { label: name, count, time, max, missing } of shown.values()) {
        const exact = truth.get(name);
        assert.ok(count <= exact.count && time <= exact.time && max <= exact.max);
        assert.ok(time + missing >= exact.time && missing <= most, `${missing} of ${most}`);
      }
      // A label with more time than can be missing is there.
      const least = counters.top.at(-1).time;
      for (const [name, { time }] of truth) {
        assert.ok(shown.has(name) || time <= least + most, `${name}: ${time}`);
      }
    }), { numRuns: 30 });
  }).timeout(60_000);
});

describe('the labels that exporters show', () => {
  const row = (label, time, count = 1) => ({ label, time, count, priority: 'background' });
  const shown = (rows) => rows.map(({ label, count, time }) => [label, count, time]);

  it('are the same from then on, and never fall, although a label was counted anew', () => {
    const exported = new ExportedLabels(2);
    assert.deepEqual(shown(exported.read([row('a', 1000)])), [['a', 1, 1000]]);
    exported.read([row('b', 3000), row('c', 2000), row('a', 1000)]);
    const all = exported.read([row('c', 9000), row('b', 4000, 2), row('a', 500)]);
    assert.deepEqual(shown(all), [['a', 1, 1000], ['b', 2, 4000]]);
    assert.deepEqual(shown(exported.read([])), [['a', 1, 1000], ['b', 2, 4000]]);
  });
});
