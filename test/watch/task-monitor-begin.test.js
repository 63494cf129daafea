'use strict';

// monitorTasks(): what it shows of tasks that wait or run when it is enabled or reset, and that
// enabling is quick whatever waits.

const assert = require('node:assert/strict');
const { setImmediate: turn } = require('node:timers/promises');
const { TaskController, monitorTasks, scheduler } = require('../..');
const { PRIORITIES, busy } = require('../helpers/tasks.js');
const { CLOSE, counts, enabledMonitor, record, separateTests, stopwatch } =
  require('../helpers/watch.js');
const { theWatch } = require('../../lib/watch/watch.js');

const nothing = () => {};

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
  const [{ time: timeOfLabel }] = monitor.labels;
  const { count, sum } = monitor.priorities['user-visible'].duration;
  assert.equal(count, 1);
  for (const time of [duration, sum, timeOfLabel]) {
    assert.ok(time >= 5 && time <= most, `${time} ms of ${most}`);
  }
}

describe('a TaskMonitor that is enabled while tasks wait', () => {
  separateTests();

  for (const priority of PRIORITIES) {
    it(`counts what waits as ${priority}, but not the delays`, async () => {
      const elapsed = stopwatch();
      const early = [
        scheduler.postTask(nothing, { priority }),
        scheduler.yield({ priority }),
        scheduler.yield({ priority }),
        scheduler.wait(5, { priority }),
      ];
      const monitor = enabledMonitor();
      const { queued } = monitor.priorities[priority];
      // The last one is also queued if the machine has stood still.
      assert.ok(queued === 3 || (queued === 4 && elapsed() >= 5), `${queued}`);
      await Promise.all([...early, scheduler.postTask(nothing, { priority })]);
      await turn();
      assert.deepEqual(counts(monitor, priority), { completed: 5, waits: 1, durations: 5 });
      for (const other of PRIORITIES.filter((each) => each !== priority)) {
        assert.deepEqual(counts(monitor, other), {});
      }
    });
  }

  it('shows for the oldest one how long it is watched', async () => {
    const task = scheduler.postTask(nothing);
    busy(20);
    const elapsed = stopwatch();
    const monitor = enabledMonitor();
    busy(2);
    const { oldest } = monitor.priorities['user-visible'];
    assert.ok(oldest >= 2 && oldest <= elapsed() + CLOSE, `${oldest} ms`);
    await task;
  });

  it('shows for the oldest one, if it had a delay, how long it is queued', async () => {
    const elapsed = stopwatch();
    const task = scheduler.postTask(nothing, { delay: 100 });
    const monitor = enabledMonitor();
    const of = monitor.priorities['user-visible'];
    busy(110);
    assert.equal(of.queued, 1);
    const { oldest } = of;
    assert.ok(oldest > 0 && oldest <= elapsed() - 100 + CLOSE, `${oldest} ms`);
    await task;
    assert.equal(of.oldest, 0);
  });

  it('takes no longer to enable if many do', async () => {
    const monitor = monitorTasks();
    const controller = new TaskController();
    const { signal } = controller;
    const elapsed = stopwatch();
    const tasks = Array.from({ length: 1e5 }, () => scheduler.postTask(nothing, { signal }));
    const posting = elapsed();
    // The least of several times, as a machine can hold any of them up.
    const times = Array.from({ length: 5 }, () => {
      const enabling = stopwatch();
      monitor.enable();
      const time = enabling();
      monitor.disable();
      return time;
    });
    controller.abort();
    await Promise.allSettled(tasks);
    const least = Math.min(...times);
    assert.ok(least < posting / 50, `${least} s, and ${posting} s to post the tasks`);
  });
});

describe('a TaskMonitor that is enabled or reset inside of a callback', () => {
  separateTests();

  it('counts only what comes behind, if nobody has watched', async () => {
    await assertRestCounts(enabledMonitor);
  });

  it('counts only what comes behind, if another is enabled', async () => {
    enabledMonitor();
    await assertRestCounts(enabledMonitor);
  });

  it('counts only what comes behind, if a subscriber enables it as a step ends', async () => {
    const monitors = [];
    record((event, { isContinuation }) => {
      if (isContinuation) monitors.push(enabledMonitor());
    }, ['end']);
    const chain = async () => {
      for (let i = 0; i < 5; i++) {
        await scheduler.yield();
        busy(1);
      }
    };
    await Promise.all(Array.from({ length: 20 }, () => scheduler.postTask(chain)));
    await turn();
    assert.equal(monitors.length, 100);
    for (const { priorities, time: { 'user-visible': time } } of monitors) {
      const { sum } = priorities['user-visible'].duration;
      // The step that has ended is in neither.
      assert.ok(time > sum - CLOSE, `${time}, ${sum}`);
    }
  });

  it('counts nothing of before, if what watched had ended as a step did', async () => {
    const watch = theWatch();
    const listener = { posted() {}, settled() {}, turned() {} };
    listener.stepped = () => watch.removeListener(listener);
    watch.addListener(listener);
    // The step of the first one ends when the second one begins.
    await Promise.all([scheduler.postTask(nothing), scheduler.postTask(nothing)]);
    await turn();
    const monitor = enabledMonitor();
    await scheduler.postTask(nothing);
    await turn();
    assert.deepEqual(counts(monitor), { completed: 1, waits: 1, durations: 1 });
  });

  it('counts only what comes behind a reset', async () => {
    const monitor = enabledMonitor();
    await assertRestCounts(() => {
      monitor.reset();
      return monitor;
    });
  });
});
