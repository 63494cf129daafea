'use strict';

// monitorTasks(): where the time of the thread goes.

const assert = require('node:assert/strict');
const { stat } = require('node:fs/promises');
const { setImmediate: turn, setTimeout: sleep } = require('node:timers/promises');
const { monitorTasks, requestIdleCallback, scheduler } = require('../..');
const { PRIORITIES, busy } = require('../helpers/tasks.js');
const { CLOSE, enabledMonitor, separateTests, stopwatch } = require('../helpers/watch.js');

const STATES = ['user-blocking', 'user-visible', 'background', 'other', 'idle'];

const sum = (time) => STATES.reduce((all, state) => all + time[state], 0);

// Asserts that the shares of some time are such.
function assertShares(shares) {
  const text = JSON.stringify(shares);
  for (const state of STATES) assert.ok(shares[state] >= 0 && shares[state] <= 1, text);
  assert.ok(Math.abs(sum(shares) - 1) <= 1e-9, text);
}

describe('the time of a TaskMonitor', () => {
  separateTests();

  it('adds up to the time that has passed', async () => {
    const most = stopwatch();
    const monitor = enabledMonitor();
    const least = stopwatch();
    await Promise.all([
      ...PRIORITIES.map((priority) => scheduler.postTask(async () => {
        busy(3);
        await scheduler.yield();
        busy(3);
        await stat(__filename);
        await scheduler.wait(2);
      }, { priority })),
      new Promise((resolve) => requestIdleCallback(() => resolve(busy(3)))),
    ]);
    setTimeout(busy, 1, 5);
    await sleep(100);
    // The loop waits for less than that if the machine holds it up.
    while (monitor.time.idle < 5) await sleep(10);
    const from = least() - CLOSE;
    const { time } = monitor;
    const to = most() + CLOSE;
    assert.deepEqual(Object.keys(time), STATES);
    const all = sum(time);
    assert.ok(from <= all && all <= to, `${all}, not ${from} to ${to}`);
    for (const state of STATES) assert.ok(time[state] > 4, `${state}: ${time[state]}`);
    assert.ok(time['background'] >= 9);
  });

  it('is shared out by utilization(), since the start and between two calls', async () => {
    const monitor = enabledMonitor();
    const [one, elapsed] = [monitor.utilization(), stopwatch()];
    await scheduler.postTask(() => busy(5));
    await turn();
    const [all, elapsedBetween] = [monitor.utilization(), stopwatch()];
    assert.deepEqual(Object.keys(all), STATES);
    await scheduler.postTask(() => busy(30), { priority: 'background' });
    const some = monitor.utilization(all);
    assert.ok(some['background'] >= 30 / elapsedBetween(), JSON.stringify(some));
    assert.equal(some['user-visible'], 0);
    assert.ok(monitor.utilization(one)['user-visible'] >= 5 / elapsed());
    for (const each of [all, some, monitor.utilization(monitor.utilization())]) assertShares(each);
  });

  it('is shared out since a reset if the previous utilization() is from before it', async () => {
    const monitor = monitorTasks();
    assert.equal(sum(monitor.utilization()), 0);
    monitor.enable();
    const start = monitor.utilization();
    await scheduler.postTask(() => busy(50), { priority: 'user-blocking' });
    await sleep(50);
    const before = monitor.utilization();
    const elapsed = stopwatch();
    monitor.reset();
    await scheduler.postTask(() => busy(5), { priority: 'background' });
    for (const previous of [start, before]) {
      const shares = monitor.utilization(previous);
      assertShares(shares);
      assert.equal(shares['user-blocking'], 0);
      assert.ok(shares['background'] >= 5 / elapsed(), JSON.stringify(shares));
    }
    await scheduler.postTask(async () => {
      const inside = monitor.utilization();
      busy(5);
      monitor.reset();
      busy(1);
      assertShares(monitor.utilization(inside));
    });
    monitor.disable();
    monitor.reset();
    for (const previous of [undefined, before]) {
      assert.equal(sum(monitor.utilization(previous)), 0);
    }
  });
});
