'use strict';

// monitorTasks(): what it shows of tasks that wait or run when it is enabled or reset, and that
// enabling is quick whatever waits.

const assert = require('node:assert/strict');
const { setImmediate: turn } = require('node:timers/promises');
const { TaskController, monitorTasks, scheduler } = require('../..');
const { PRIORITIES, busy } = require('../helpers/tasks.js');
const { CLOSE, counts, enabledMonitor, record, separateTests, stopwatch } =
  require('../helpers/watch.js');
const { theWatch } = require('../../dist/watch.js').parts();

const nothing = () => {};

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

  it('shows for how long the oldest one is queued, as far as it was watched', async () => {
    const of = monitorTasks().priorities['user-visible'];
    const assertOldest = (queued) => {
      busy(2);
      const { oldest } = of;
      assert.ok(oldest >= 2 && oldest <= queued() + CLOSE, `${oldest} ms`);
    };
    const early = scheduler.postTask(nothing);
    busy(20);
    const watched = stopwatch();
    enabledMonitor();
    assertOldest(watched);
    await early;
    busy(20);
    const queued = stopwatch();
    const late = scheduler.postTask(nothing);
    assertOldest(queued);
    await late;
    assert.equal(of.oldest, 0);
  });

  it('shows for the oldest one, if it had a delay, how long it is queued', async () => {
    const elapsed = stopwatch();
    const task = scheduler.postTask(nothing, { delay: 100 });
    const monitor = enabledMonitor();
    busy(110);
    const { queued, oldest } = monitor.priorities['user-visible'];
    assert.equal(queued, 1);
    assert.ok(oldest > 0 && oldest <= elapsed() - 100 + CLOSE, `${oldest} ms`);
    await task;
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

  // The key says what came before the monitor. The function does that, and returns another one,
  // which begins the monitor.
  const BEGINS = {
    ', if nothing has watched': () => enabledMonitor,
    ', if another one is enabled': () => {
      enabledMonitor();
      return enabledMonitor;
    },
    ', if it was disabled there': () => () => {
      const monitor = enabledMonitor();
      monitor.disable();
      monitor.enable();
      return monitor;
    },
    ' a reset': () => {
      const monitor = enabledMonitor();
      return () => {
        monitor.reset();
        return monitor;
      };
    },
  };
  for (const [before, prepare] of Object.entries(BEGINS)) {
    it(`counts only what comes behind${before}`, async () => {
      const begin = prepare();
      const own = 'user-visible';
      let monitor;
      let elapsed;
      await scheduler.postTask(() => {
        busy(30);
        elapsed = stopwatch();
        monitor = begin();
        busy(5);
        assert.ok(monitor.time[own] >= 5, JSON.stringify(monitor.time));
      }, { label: 'task' });
      await turn();
      const most = elapsed() + CLOSE;
      const [{ label, duration }] = monitor.longest;
      assert.equal(label, 'task');
      const { count, sum } = monitor.priorities[own].duration;
      assert.deepEqual([count, monitor.priorities[own].completed], [1, 1]);
      for (const time of [duration, sum, monitor.labels[0].time, monitor.time[own]]) {
        assert.ok(time >= 5 && time <= most, `${time} ms of ${most}`);
      }
    });
  }

  it('counts no time behind the end if it is disabled there as well', async () => {
    const monitor = monitorTasks();
    let time;
    await scheduler.postTask(() => {
      monitor.enable();
      busy(5);
      monitor.disable();
      ({ time } = monitor);
      busy(5);
    });
    await turn();
    assert.ok(time['user-visible'] >= 5);
    assert.deepEqual(monitor.time, time);
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
});
