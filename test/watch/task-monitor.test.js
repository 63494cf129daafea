'use strict';

// monitorTasks(): what it counts, and what waits and runs now. Programs that need a process of
// their own are in fixtures/scenarios/watch.js. task-times.test.js tests the distributions of
// times, task-monitor-time.test.js where the time goes, task-monitor-begin.test.js what waits or
// runs when a monitor is enabled.

const assert = require('node:assert/strict');
const { setImmediate: turn, setTimeout: sleep } = require('node:timers/promises');
const {
  TaskController, drain, monitorTasks, requestIdleCallback, scheduler,
} = require('../..');
const { PRIORITIES, busy, settled, started, startedTask } = require('../helpers/tasks.js');
const { testScenarios } = require('../helpers/loop.js');
const { canCompile, nestedAddon } = require('../helpers/nested-addon.js');
const {
  CLOSE, counts, enabledMonitor, record, separateTests, stopwatch,
} = require('../helpers/watch.js');

const nothing = () => {};
const fail = () => {
  throw new Error('failed');
};

// What is done with tasks, and what a monitor has counted then at priorities at which that is
// anything.
const COUNTED = {
  ...Object.fromEntries(PRIORITIES.map((priority) => [
    `tasks and continuations of the priority ${priority}, and no others`,
    [() => scheduler.postTask(async () => {
      await scheduler.yield();
      await scheduler.wait(1);
    }, { priority }), { [priority]: { completed: 3, waits: 3, durations: 3 } }],
  ])),

  'a task as failed if its callback fails': [async () => {
    await settled(scheduler.postTask(() => Promise.reject(new Error('failed'))));
    await settled(scheduler.postTask(fail));
  }, { 'user-visible': { failed: 2, waits: 2, durations: 2 } }],

  'as aborted what a signal aborts: waiting, in its callback, continuations': [async () => {
    const controller = new TaskController();
    const { signal } = controller;
    const entries = [
      scheduler.postTask(() => controller.abort(), { signal, priority: 'user-blocking' }),
      scheduler.postTask(assert.fail, { signal }),
      scheduler.postTask(assert.fail, { signal, delay: 1000 }),
      scheduler.yield({ signal }),
      scheduler.wait(1000, { signal }),
    ];
    for (const entry of entries) await assert.rejects(entry, { name: 'AbortError' });
  }, { 'user-blocking': { aborted: 1, waits: 1, durations: 1 }, 'user-visible': { aborted: 4 } }],

  'as aborted what a draining rejects: waiting, running, continuations': [async () => {
    const running = await started(() => sleep(1000, undefined, { ref: false }));
    const entries = [
      running.task,
      scheduler.postTask(assert.fail, { priority: 'background' }),
      scheduler.wait(1000),
    ];
    const drained = drain({ timeout: 5 });
    const names = entries.map((entry) => entry.then(assert.fail, ({ name }) => name));
    assert.deepEqual(await Promise.all(names), ['TimeoutError', 'AbortError', 'TimeoutError']);
    await drained;
  }, { 'user-visible': { aborted: 2, waits: 1, durations: 1 }, 'background': { aborted: 1 } }],

  'a task once that its own signal aborts after it has failed': [async () => {
    const controller = new TaskController();
    await settled(scheduler.postTask(fail, { signal: controller.signal }));
    controller.abort();
  }, { 'user-visible': { failed: 1, waits: 1, durations: 1 } }],

  'the priority that a task has when it starts': [() => {
    const controller = new TaskController({ priority: 'background' });
    const task = scheduler.postTask(nothing, { signal: controller.signal });
    controller.setPriority('user-blocking');
    return task;
  }, { 'user-blocking': { completed: 1, waits: 1, durations: 1 } }],

  'no idle callbacks': [() => {
    requestIdleCallback(nothing, { timeout: 60_000 });
    return new Promise((resolve) => requestIdleCallback(resolve));
  }, {}],
};

describe('a TaskMonitor counts', () => {
  separateTests();

  for (const [what, [work, expected]] of Object.entries(COUNTED)) {
    it(what, async () => {
      const monitor = enabledMonitor();
      await work();
      await turn();
      for (const priority of PRIORITIES) {
        assert.deepEqual(counts(monitor, priority), expected[priority] ?? {}, priority);
      }
    });
  }

  it('the wait of a task from when it was queued until it starts', async () => {
    const monitor = enabledMonitor();
    const first = scheduler.postTask(() => busy(20), { priority: 'user-blocking' });
    await Promise.all([first, scheduler.postTask(nothing), scheduler.postTask(nothing)]);
    const { count, sum: all } = monitor.priorities['user-visible'].wait;
    assert.equal(count, 2);
    assert.ok(all >= 40, `${all} ms`);
  });

  it('no part of the delay that was asked for', async () => {
    const monitor = enabledMonitor();
    await scheduler.postTask(nothing, { delay: 1000, signal: AbortSignal.timeout(1) })
      .catch(nothing);
    const elapsed = stopwatch();
    await scheduler.postTask(nothing, { delay: 300 });
    const { count, sum: all } = monitor.priorities['user-visible'].wait;
    assert.equal(count, 1);
    assert.ok(all <= elapsed() - 290, `${all} ms`);
  });

  it('the ticks and microtasks of a callback in its duration', async () => {
    const monitor = enabledMonitor();
    await scheduler.postTask(async () => {
      busy(5);
      process.nextTick(busy, 5);
      await null;
      busy(5);
    });
    await turn();
    const { count, sum: all } = monitor.priorities['user-visible'].duration;
    assert.equal(count, 1);
    assert.ok(all >= 15, `${all} ms`);
  });

  it('nothing while it is disabled', async () => {
    const monitor = monitorTasks();
    await scheduler.postTask(nothing);
    assert.deepEqual(counts(monitor), {});
    monitor.enable();
    await scheduler.postTask(nothing);
    await turn();
    monitor.disable();
    await scheduler.postTask(nothing);
    await turn();
    assert.deepEqual(counts(monitor), { completed: 1, waits: 1, durations: 1 });
    const before = JSON.stringify(monitor.time);
    busy(2);
    assert.equal(JSON.stringify(monitor.time), before);
  });

  it('from 0 after a reset, enabled or not', async () => {
    const monitor = enabledMonitor();
    const work = async () => {
      await scheduler.postTask(() => busy(1));
      await turn();
    };
    await work();
    monitor.reset();
    assert.deepEqual(counts(monitor), {});
    assert.deepEqual(monitor.longest, []);
    await work();
    assert.deepEqual(counts(monitor), { completed: 1, waits: 1, durations: 1 });
    monitor.disable();
    monitor.reset();
    assert.deepEqual(counts(monitor), {});
    for (const time of Object.values(monitor.time)) assert.equal(time, 0);
  });

  it('for itself: several monitors do not disturb each other', async () => {
    const [one, two] = [enabledMonitor(), enabledMonitor()];
    await scheduler.postTask(nothing);
    await turn();
    two.reset();
    await scheduler.postTask(nothing);
    await turn();
    one.disable();
    await scheduler.postTask(nothing);
    await turn();
    assert.deepEqual(counts(one), { completed: 2, waits: 2, durations: 2 });
    assert.deepEqual(counts(two), { completed: 2, waits: 2, durations: 2 });
  });

  it('as many tasks as the subscribers of the channels hear of', async () => {
    const monitor = enabledMonitor();
    const recorder = record();
    await Promise.allSettled(Array.from({ length: 200 }, (_, i) => {
      const controller = new TaskController({ priority: PRIORITIES[i % 3] });
      const task = scheduler.postTask(async () => {
        await scheduler.yield();
        if (i % 5 === 0) throw new Error('failed');
      }, i % 2 === 0 ? { signal: controller.signal } : { priority: PRIORITIES[i % 3] });
      if (i % 8 === 0) controller.abort();
      return task;
    }));
    await turn();
    for (const priority of PRIORITIES) {
      for (const outcome of ['completed', 'failed', 'aborted']) {
        const heard = recorder.messages.filter((message) => {
          return message.outcome === outcome && message.priority === priority;
        });
        assert.equal(monitor.priorities[priority][outcome], heard.length);
      }
    }
  });
});

describe('a TaskMonitor shows', () => {
  separateTests();

  it('how many are queued now, where setPriority() has moved them', () => {
    const monitor = enabledMonitor();
    const controller = new TaskController({ priority: 'background' });
    const { signal } = controller;
    const queued = () => PRIORITIES.map((priority) => monitor.priorities[priority].queued);
    const entries = [
      scheduler.postTask(nothing, { signal }),
      scheduler.yield({ signal }),
      scheduler.postTask(nothing, { signal, priority: 'user-visible' }),
      scheduler.postTask(nothing, { signal, delay: 10_000 }),
    ];
    for (const entry of entries) entry.catch(nothing);
    assert.deepEqual(queued(), [0, 1, 2]);
    controller.setPriority('user-blocking');
    assert.deepEqual(queued(), [2, 1, 0]);
    controller.setPriority('user-visible');
    assert.deepEqual(queued(), [0, 3, 0]);
    controller.abort();
    assert.deepEqual(queued(), [0, 0, 0]);
  });

  it('a delayed task as queued once its delay has passed', async () => {
    const monitor = enabledMonitor();
    const elapsed = stopwatch();
    const task = scheduler.postTask(nothing, { delay: 3 });
    const of = monitor.priorities['user-visible'];
    assert.deepEqual([of.queued, of.oldest], [0, 0]);
    busy(5);
    assert.equal(of.queued, 1);
    const { oldest } = of;
    assert.ok(oldest >= 1 && oldest <= elapsed() - 3 + CLOSE, `${oldest} ms`);
    await task;
    assert.deepEqual([of.queued, of.oldest], [0, 0]);
  });

  it('how long the oldest queued one has waited', async () => {
    const monitor = enabledMonitor();
    const task = scheduler.postTask(nothing, { priority: 'background' });
    busy(10);
    const other = scheduler.yield({ priority: 'background' });
    assert.ok(monitor.priorities['background'].oldest >= 10);
    await Promise.all([task, other]);
    assert.equal(monitor.priorities['background'].oldest, 0);
  });

  it('how many tasks run: in their callbacks, and until their promises settle', async () => {
    const monitor = enabledMonitor();
    const { running } = Object.getOwnPropertyDescriptors(
      Object.getPrototypeOf(monitor.priorities['background']));
    const count = () => running.get.call(monitor.priorities['background']);
    let finish;
    const task = scheduler.postTask(async () => {
      assert.equal(count(), 1);
      await new Promise((resolve) => (finish = resolve));
      assert.equal(count(), 1);
    }, { priority: 'background' });
    assert.equal(count(), 0);
    await new Promise((resolve) => requestIdleCallback(resolve));
    assert.equal(count(), 1);
    finish();
    await task;
    assert.equal(count(), 0);
  });

  it('a task that was given up as one that does not run', async () => {
    const monitor = enabledMonitor();
    const controller = new TaskController();
    await settled(scheduler.postTask(() => {
      assert.equal(monitor.priorities['user-visible'].running, 1);
      controller.abort();
      assert.equal(monitor.priorities['user-visible'].running, 0);
    }, { signal: controller.signal }));
    const stuck = await startedTask();
    const drained = drain({ timeout: 5 });
    await assert.rejects(stuck.task, /timed out/);
    await drained;
    assert.equal(monitor.priorities['user-visible'].running, 0);
    stuck.finish();
  });

  it('values that are right inside of a task, a message, and an idle callback', async () => {
    const monitor = enabledMonitor();
    const seen = [];
    const recorder = record((event) => {
      const { completed, running, queued } = monitor.priorities['user-visible'];
      seen.push(`${event} ${queued} ${running} ${completed}`);
    });
    await scheduler.postTask(() => {
      assert.deepEqual(counts(monitor), { running: 1, waits: 1 });
    });
    recorder.end();
    assert.deepEqual(seen, [
      'posted 1 0 0', 'start 0 1 0', 'end 0 1 0', 'asyncStart 0 0 1', 'asyncEnd 0 0 1',
    ]);
    await new Promise((resolve) => requestIdleCallback(resolve));
    assert.deepEqual(counts(monitor), { completed: 1, waits: 1, durations: 1 });
  });

  it('the ten slowest callbacks, the slowest first', async () => {
    const monitor = enabledMonitor();
    for (let i = 1; i <= 12; i++) {
      const priority = PRIORITIES[i % 3];
      await scheduler.postTask(() => busy(i / 2), { label: `task ${i}`, priority });
      await turn();
    }
    const { longest } = monitor;
    assert.equal(longest.length, 10);
    assert.ok(longest.some(({ label }) => label === 'task 12'));
    for (const { label, duration, priority } of longest) {
      const number = Number(/\d+$/.exec(label));
      assert.ok(duration >= number / 2, `${label}: ${duration} ms`);
      assert.equal(priority, PRIORITIES[number % 3]);
    }
    const durations = longest.map(({ duration }) => duration);
    assert.deepEqual(durations, [...durations].sort((one, other) => other - one));
  });

  it('slow continuations with the label of their task', async () => {
    const monitor = enabledMonitor();
    await scheduler.postTask(async function named() {
      await scheduler.yield();
      busy(3);
    });
    await scheduler.postTask(async () => {
      const { signal } = new TaskController();
      await scheduler.yield({ signal });
      busy(6);
    }, { label: 'labelled' });
    await turn();
    const labels = monitor.longest.map(({ label }) => label);
    assert.deepEqual(labels.sort(), ['labelled', 'labelled', 'named', 'named']);
  });

  it('all that it shows in util.inspect()', () => {
    const { inspect } = require('node:util');
    const text = inspect(monitorTasks(), { depth: 5 });
    const own = ['TaskMonitor', 'wait', 'queued', 'labels', 'longest', 'time'];
    for (const name of [...own, ...PRIORITIES]) {
      assert.ok(text.includes(name), name);
    }
  });
});

describe('enable(), disable() and dispose of a TaskMonitor', () => {
  separateTests();

  it('return whether that is new', () => {
    const monitor = monitorTasks();
    assert.deepEqual([monitor.disable(), monitor.enable(), monitor.enable()], [false, true, false]);
    assert.deepEqual([monitor.disable(), monitor.disable()], [true, false]);
  });

  it('can be called inside of a task, and no task is lost', async () => {
    const monitor = monitorTasks();
    const results = await Promise.all(Array.from({ length: 30 }, (_, i) => {
      return scheduler.postTask(async () => {
        if (i % 3 === 0) monitor.enable();
        await scheduler.yield();
        if (i % 3 === 1) monitor.disable();
        return i;
      });
    }));
    monitor.disable();
    assert.deepEqual(results, results.map((_, i) => i));
  });

  it('disposes by disabling', async () => {
    const monitor = monitorTasks();
    monitor.enable();
    monitor[Symbol.dispose]();
    await scheduler.postTask(nothing);
    assert.deepEqual(counts(monitor), {});
    assert.equal(monitor.disable(), false);
  });
});

describe('what watches tasks', () => {
  testScenarios('watch');
});

if (canCompile) {
  describe('what watches tasks while a task runs the loop', () => {
    before(() => (process.env.NESTED_ADDON = nestedAddon()));
    after(() => delete process.env.NESTED_ADDON);

    testScenarios('watch-nested');
  });
}
