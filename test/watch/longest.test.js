'use strict';

// The slowest callbacks of a monitor: which they are within a window.

const assert = require('node:assert/strict');
const { setImmediate: turn, setTimeout: sleep } = require('node:timers/promises');
const fc = require('fast-check');
const { monitorTasks, scheduler } = require('../..');
const { Longest } = require('../../lib/watch/longest.js');
const { busy } = require('../helpers/tasks.js');
const { CLOSE, separateTests } = require('../helpers/watch.js');

const VISIBLE = 1;
const SLICES = 16;

const durations = (longest, now) => longest.read(now).map(({ duration }) => duration);

describe('the slowest callbacks of a TaskMonitor', () => {
  separateTests();

  it('say when they started', async () => {
    const monitor = monitorTasks();
    monitor.enable();
    const before = performance.now();
    let begun;
    await scheduler.postTask(() => {
      begun = performance.now();
      busy(5);
    });
    const ended = performance.now();
    await turn();
    monitor.disable();
    const [{ startedAt, duration }] = monitor.longest;
    const close = CLOSE;
    assert.ok(before - close <= startedAt && startedAt <= begun + close, `${startedAt}, ${begun}`);
    assert.ok(startedAt + duration >= ended - close && duration >= 5, `${startedAt}, ${duration}`);
  });

  it('are forgotten when they have left the window, and nothing else is', async () => {
    const WINDOW = 500;
    const monitor = monitorTasks({ window: WINDOW });
    monitor.enable();
    const before = performance.now();
    await scheduler.postTask(() => busy(20), { label: 'slow' });
    await turn();
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
    const WINDOW = 1600;
    // Pauses and durations.
    const steps = fc.array(
      fc.tuple(fc.nat({ max: 60 }), fc.integer({ min: 1, max: 200 })),
      { minLength: 1, maxLength: 400, size: 'max' },
    );
    fc.assert(fc.property(steps, fc.nat({ max: 2 * WINDOW }), (list, later) => {
      const longest = new Longest(WINDOW);
      const all = [];
      let now = 0;
      for (const [pause, duration] of list) {
        const startedAt = now + pause;
        now = startedAt + duration;
        all.push({ startedAt, endedAt: now, duration });
        longest.record('label', VISIBLE, startedAt, now);
      }
      now += later;
      const inWindow = all.filter(({ endedAt }) => now - endedAt < WINDOW);
      const found = longest.read(now);
      for (const { startedAt, duration } of found) {
        assert.ok(inWindow.some((each) => each.startedAt === startedAt &&
          each.duration === duration));
      }
      const slowest = inWindow.sort((one, other) => other.duration - one.duration).slice(0, 10);
      const starts = new Set(found.map(({ startedAt }) => startedAt));
      const least = found.length < 10 ? 0 : found.at(-1).duration;
      for (const { startedAt, endedAt, duration } of slowest) {
        const isOld = now - endedAt >= WINDOW - WINDOW / SLICES;
        assert.ok(starts.has(startedAt) || duration === least || isOld, `${startedAt}`);
      }
    }));
  });

  it('are the ten slowest of all without a window', () => {
    const longest = new Longest(Infinity);
    for (let i = 0; i < 1000; i++) longest.record('label', VISIBLE, 0, i * 7919 % 1000);
    const expected = Array.from({ length: 10 }, (_, i) => 999 - i);
    assert.deepEqual(durations(longest, 1e12), expected);
  });

  it('are at most ten for each slice, however long it runs', () => {
    const longest = new Longest(1000);
    for (let now = 0; now < 1e6; now += 7) longest.record('label', VISIBLE, now, now + now % 13);
    assert.equal(durations(longest, 1e6).length, 10);
    assert.deepEqual(durations(longest, 2e6), []);
  });
});
