'use strict';

// The slowest callbacks of a monitor: which they are within a window.
// @host portable

const assert = require('node:assert/strict');
const { setImmediate: turn, setTimeout: sleep } = require('node:timers/promises');
const fc = require('fast-check');
const { monitorTasks, scheduler } = require('../..');
const { Longest } = require('../../lib/watch/longest.js');
const { busy } = require('../helpers/tasks.js');
const { CLOSE, separateTests } = require('../helpers/watch.js');

const VISIBLE = 1;
const SLICES = 16;

describe('the slowest callbacks of a TaskMonitor', () => {
  separateTests();

  it('say when they started, and are forgotten when they have left the window', async () => {
    const WINDOW = 1000;
    const monitor = monitorTasks({ window: WINDOW });
    monitor.enable();
    const before = performance.now();
    let begun;
    await scheduler.postTask(() => {
      begun = performance.now();
      busy(20);
    }, { label: 'slow' });
    const ended = performance.now();
    await turn();
    const [{ startedAt, duration }] = monitor.longest;
    assert.ok(before - CLOSE <= startedAt && startedAt <= begun + CLOSE, `${startedAt}, ${begun}`);
    assert.ok(startedAt + duration >= ended - CLOSE && duration >= 20, `${startedAt}, ${duration}`);
    const labels = () => monitor.longest.map(({ label }) => label);
    // Unless the machine has stood still since.
    const shown = labels();
    assert.ok(shown[0] === 'slow' || performance.now() - before > WINDOW, `${shown}`);
    while (labels().includes('slow')) await sleep(20);
    assert.ok(performance.now() - before >= WINDOW);
    await scheduler.postTask(() => {}, { label: 'quick' });
    await turn();
    assert.ok(!labels().includes('slow'));
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
