'use strict';

// The slowest callbacks of a monitor: which they are within a window.
// @host portable

const assert = require('node:assert/strict');
const fc = require('fast-check');
const { monitorTasks } = require('uv-scheduler/watch');
const { Longest } = require('../../lib/watch/longest.js');
const { useClock } = require('../helpers/watch.js');

const VISIBLE = 1;
const SLICES = 16;

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
