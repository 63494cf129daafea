'use strict';

// monitorTasks(): what it shows of tasks that run when it is enabled or reset.

const assert = require('node:assert/strict');
const { setImmediate: turn } = require('node:timers/promises');
const { scheduler } = require('..');
const { busy } = require('./helpers.js');
const { CLOSE, enabledMonitor, separateTests, stopwatch } = require('./helpers-watch.js');

// Begins a monitor in the middle of a callback: it counts what comes behind that.
async function assertRestCounts(begin) {
  let monitor;
  let elapsed;
  await scheduler.postTask(() => {
    busy(30);
    elapsed = stopwatch();
    monitor = begin();
    busy(5);
  }, { label: 'task' });
  await turn();
  const most = elapsed() + CLOSE;
  const [{ label, duration }] = monitor.longest;
  assert.equal(label, 'task');
  const { count, sum } = monitor.priorities['user-visible'].duration;
  assert.equal(count, 1);
  for (const seconds of [duration / 1000, sum]) {
    assert.ok(seconds >= 0.005 && seconds <= most, `${seconds} s of ${most}`);
  }
}

describe('a TaskMonitor that is enabled or reset inside of a callback', () => {
  separateTests();

  it('counts only what comes behind, if nobody has watched', async () => {
    await assertRestCounts(enabledMonitor);
  });

  it('counts only what comes behind, if another is enabled', async () => {
    enabledMonitor();
    await assertRestCounts(enabledMonitor);
  });

  it('counts only what comes behind a reset', async () => {
    const monitor = enabledMonitor();
    await assertRestCounts(() => {
      monitor.reset();
      return monitor;
    });
  });
});
