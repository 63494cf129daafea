'use strict';

// monitorTasks(): what it shows of tasks that wait or run when it is enabled or reset, and that
// enabling is quick whatever waits. Under a test scheduler subscribers watch already, so what a
// monitor shows where nothing has watched is judged in real time, by bounds that are measured.

const assert = require('node:assert/strict');
const { setImmediate: turn } = require('node:timers/promises');
const { TaskController, scheduler } = require('../..');
const { monitorTasks } = require('uv-scheduler/watch');
const { PRIORITIES, busy } = require('../helpers/tasks.js');
const { CLOSE, counts, enabledMonitor, record, separateTests, stopwatch, useClock } =
  require('../helpers/watch.js');
const { theWatch } = require('../../dist/watching.js').parts();

const nothing = () => {};

const durationOf = (monitor) => monitor.priorities['user-visible'].duration;

describe('a TaskMonitor that is enabled while tasks wait', () => {
  separateTests();

  for (const priority of PRIORITIES) {
    it(`shows what waits as ${priority}, but not the delays, and for how long`, async () => {
      const controller = new TaskController();
      const { signal } = controller;
      const early = [
        scheduler.postTask(nothing, { priority }),
        scheduler.yield({ priority }),
        scheduler.yield({ priority }),
      ];
      const delayed = scheduler.wait(1e6, { priority, signal });
      const watched = stopwatch();
      const monitor = enabledMonitor();
      const { queued, oldest } = monitor.priorities[priority];
      // As far as it was watched.
      assert.ok(queued === 3 && oldest <= watched() + CLOSE, `${queued}, ${oldest} ms`);
      await Promise.all([...early, scheduler.postTask(nothing, { priority })]);
      await turn();
      assert.deepEqual(counts(monitor, priority), { completed: 4, waits: 1, durations: 4 });
      for (const other of PRIORITIES.filter((each) => each !== priority)) {
        assert.deepEqual(counts(monitor, other), {});
      }
      controller.abort();
      await delayed.catch(nothing);
    });
  }

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
    assert.ok(Math.min(...times) < posting / 50, `${times}, and ${posting} ms to post the tasks`);
  });
});

describe('a TaskMonitor shows of the oldest task', () => {
  const clock = useClock();

  it('for how long it is queued, without its delay', async () => {
    const of = enabledMonitor().priorities['user-visible'];
    clock.post(0);
    clock.spend(20);
    clock.post(0);
    clock.spend(2);
    assert.equal(of.oldest, 22);
    await clock.run();
    assert.equal(of.oldest, 0);
    clock.post(0, { delay: 100 });
    clock.spend(110);
    assert.deepEqual([of.queued, of.oldest], [1, 10]);
    await clock.run();
  });
});

describe('a TaskMonitor that is enabled or reset inside of a callback', () => {
  const clock = useClock();

  // The key says what came before the monitor. The function does that, and returns another one,
  // which begins the monitor.
  const BEGINS = {
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
      let monitor;
      scheduler.postTask(() => {
        clock.spend(30);
        monitor = begin();
        clock.spend(5);
        assert.equal(monitor.time['user-visible'], 5);
      }, { label: 'task' });
      await clock.run();
      const { completed, duration: { count, sum } } = monitor.priorities['user-visible'];
      assert.deepEqual([completed, count, sum], [1, 1, 5]);
      const [[longest], [most]] = [monitor.longest, monitor.labels];
      assert.deepEqual([longest.label, longest.duration, most.time], ['task', 5, 5]);
      assert.equal(monitor.time['user-visible'], 5);
    });
  }

  it('counts no time behind the end if it is disabled there as well', async () => {
    const monitor = monitorTasks();
    scheduler.postTask(() => {
      monitor.enable();
      clock.spend(5);
      monitor.disable();
      clock.spend(5);
    });
    await clock.run();
    assert.equal(monitor.time['user-visible'], 5);
  });

  it('counts only what comes behind, if a subscriber enables it as a step ends', async () => {
    const monitors = [];
    record((event, { isContinuation }) => {
      if (isContinuation) monitors.push(enabledMonitor());
    }, ['end']);
    for (let i = 0; i < 20; i++) {
      scheduler.postTask(async () => {
        for (let step = 0; step < 5; step++) {
          await scheduler.yield();
          clock.spend(1);
        }
      });
    }
    await clock.run();
    assert.equal(monitors.length, 100);
    // The step that has ended is in neither.
    monitors.forEach((monitor, i) => {
      assert.deepEqual([monitor.time['user-visible'], durationOf(monitor).sum], [99 - i, 99 - i]);
    });
  });
});

describe('a TaskMonitor that is enabled where nothing has watched', () => {
  separateTests();

  it('counts only what comes behind inside of a callback', async () => {
    let monitor;
    let elapsed;
    await scheduler.postTask(() => {
      busy(5);
      elapsed = stopwatch();
      monitor = enabledMonitor();
      busy(1);
    }, { label: 'task' });
    await turn();
    const { count, sum } = durationOf(monitor);
    const most = elapsed() + CLOSE;
    for (const time of [sum, monitor.longest[0].duration, monitor.labels[0].time]) {
      assert.ok(time >= 1 && time <= most, `${time} ms of ${most}`);
    }
    assert.deepEqual([count, monitor.longest[0].label], [1, 'task']);
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
