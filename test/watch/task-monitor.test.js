'use strict';

// monitorTasks(): what it counts and shows without subscribers. ../loop/random-programs.test.js
// tests the counts beside subscribers, and what waits and runs now. Programs that need a process of
// their own are in fixtures/scenarios/watch.js. task-times.test.js tests the distributions of
// times, task-monitor-time.test.js where the time goes, task-monitor-begin.test.js what waits or
// runs when a monitor is enabled.

const assert = require('node:assert/strict');
const { setImmediate: turn, setTimeout: sleep } = require('node:timers/promises');
const {
  TaskController, drain, monitorTasks, requestIdleCallback, scheduler,
} = require('../..');
const { PRIORITIES, busy, started } = require('../helpers/tasks.js');
const { testScenarios } = require('../helpers/loop.js');
const { canCompile, nestedAddon } = require('../helpers/nested-addon.js');
const { counts, enabledMonitor, record, separateTests, stopwatch } =
  require('../helpers/watch.js');

const nothing = () => {};

// Actions with tasks, and the counts of a monitor then, at priorities that have any.
const COUNTED = {
  ...Object.fromEntries(PRIORITIES.map((priority) => [
    `tasks and continuations of the priority ${priority}, and no others`,
    [() => scheduler.postTask(async () => {
      await scheduler.yield();
      await scheduler.wait(1);
    }, { priority }), { [priority]: { completed: 3, waits: 3, durations: 3 } }],
  ])),

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
    assert.deepEqual([counts(monitor), monitor.longest, monitor.labels], [{}, [], []]);
    await work();
    assert.deepEqual(counts(monitor), { completed: 1, waits: 1, durations: 1 });
    monitor.disable();
    monitor.reset();
    assert.deepEqual(counts(monitor), {});
    for (const time of Object.values(monitor.time)) assert.equal(time, 0);
  });
});

describe('a TaskMonitor shows', () => {
  separateTests();

  it('how long the oldest queued one has waited', async () => {
    const monitor = enabledMonitor();
    const task = scheduler.postTask(nothing, { priority: 'background' });
    busy(10);
    const other = scheduler.yield({ priority: 'background' });
    assert.ok(monitor.priorities['background'].oldest >= 10);
    await Promise.all([task, other]);
    assert.equal(monitor.priorities['background'].oldest, 0);
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
