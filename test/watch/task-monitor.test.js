'use strict';

// monitorTasks(): what it counts and shows without subscribers, and where the time of the thread
// goes. ../loop/random-programs.test.js tests the counts beside subscribers, and what waits and
// runs now. Programs that need a process of their own are in fixtures/scenarios/watch.js.

const assert = require('node:assert/strict');
const { stat } = require('node:fs/promises');
const { setImmediate: turn } = require('node:timers/promises');
const { inspect } = require('node:util');
const { drain, requestIdleCallback, scheduler } = require('../..');
const { monitorTasks } = require('uv-scheduler/watch');
const { PRIORITIES, busy, startedTask } = require('../helpers/tasks.js');
const { testScenarios } = require('../helpers/loop.js');
const { canCompile, nestedAddon } = require('../helpers/nested-addon.js');
const { CLOSE, counts, enabledMonitor, record, separateTests, stopwatch, until, useClock } =
  require('../helpers/watch.js');

const STATES = [...PRIORITIES, 'other', 'idle'];

const sumOf = (time) => STATES.reduce((all, state) => all + time[state], 0);

describe('a TaskMonitor', () => {
  separateTests();

  it('counts as aborted what a draining rejects: waiting, running, continuations', async () => {
    const monitor = enabledMonitor();
    const running = await startedTask();
    const entries = [
      running.task,
      scheduler.postTask(assert.fail, { priority: 'background' }),
      scheduler.wait(1e6),
    ];
    const drained = drain({ timeout: 5 });
    const names = entries.map((entry) => entry.then(assert.fail, ({ name }) => name));
    assert.deepEqual(await Promise.all(names), ['TimeoutError', 'AbortError', 'TimeoutError']);
    await drained;
    await turn();
    assert.deepEqual(PRIORITIES.map((priority) => counts(monitor, priority)),
      [{}, { aborted: 2, waits: 1, durations: 1 }, { aborted: 1 }]);
  });

  it('shows right values inside of a task, a message, and an idle callback', async () => {
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

  it('has times that add up to the time that has passed, beside I/O of the host', async () => {
    const most = stopwatch();
    const monitor = enabledMonitor();
    const least = stopwatch();
    await scheduler.postTask(async () => {
      busy(3);
      await stat(__filename);
      await scheduler.yield();
    });
    await until(() => monitor.time.idle >= 5);
    const from = least() - CLOSE;
    const { time } = monitor;
    assert.ok(time['user-visible'] >= 3, JSON.stringify(time));
    assert.ok(from <= sumOf(time) && sumOf(time) <= most() + CLOSE, JSON.stringify(time));
  });
});

describe('a TaskMonitor counts', () => {
  const clock = useClock();

  it('the wait of a task from when it was queued until it starts, without its delay', async () => {
    const { wait } = enabledMonitor().priorities['user-visible'];
    clock.post(20, { priority: 'user-blocking' });
    for (let i = 0; i < 2; i++) clock.post(0);
    clock.post(0, { delay: 300 });
    // One that is aborted while it waits has no wait.
    const controller = new AbortController();
    const { signal } = controller;
    scheduler.postTask(assert.fail, { delay: 400, signal }).catch(() => {});
    await clock.advance(350);
    controller.abort();
    assert.deepEqual([wait.count, wait.sum], [3, 40]);
  });

  it('the ticks and microtasks of a callback in its duration', async () => {
    const { duration } = enabledMonitor().priorities['user-visible'];
    scheduler.postTask(async () => {
      clock.spend(5);
      process.nextTick(clock.spend, 6);
      await null;
      clock.spend(7);
    });
    await clock.run();
    assert.deepEqual([duration.count, duration.sum], [1, 18]);
  });

  it('nothing while it is disabled, and from 0 after a reset', async () => {
    const monitor = monitorTasks();
    const of = monitor.priorities['user-visible'];
    const read = () => [of.completed, of.duration.sum, of.wait.count, sumOf(monitor.time)];
    const work = async () => {
      clock.post(1);
      await clock.run();
      return read();
    };
    assert.deepEqual([await work(), monitor.disable()], [[0, 0, 0, 0], false]);
    assert.deepEqual([monitor.enable(), monitor.enable()], [true, false]);
    assert.deepEqual([await work(), monitor.disable()], [[1, 1, 1, 1], true]);
    assert.deepEqual(await work(), [1, 1, 1, 1]);
    monitor.enable();
    monitor.reset();
    assert.deepEqual([read(), monitor.longest, monitor.labels], [[0, 0, 0, 0], [], []]);
    assert.deepEqual(await work(), [1, 1, 1, 1]);
    monitor[Symbol.dispose]();
    assert.equal(monitor.disable(), false);
    monitor.reset();
    assert.deepEqual(read(), [0, 0, 0, 0]);
  });

  it('the same in JSON and in util.inspect()', async () => {
    const monitor = enabledMonitor();
    clock.post(3, { label: 'a', priority: 'background' });
    clock.post(1, { label: 'b', fairnessKey: 'tenant' });
    await clock.run();
    monitor.disable();
    const plain = JSON.parse(JSON.stringify(monitor));
    assert.deepEqual(plain, monitor.toJSON());
    const { priorities, ...others } = plain;
    const priorityOf = plain.longest.map(({ label, priority }) => [label, priority]);
    assert.deepEqual(priorityOf, [['a', 'background'], ['b', 'user-visible']]);
    const { keys, labels, longest, time, heldTime, heldFor } = monitor;
    assert.deepEqual(others, { keys, labels, longest, time, heldTime, heldFor });
    assert.deepEqual(Object.keys(priorities), PRIORITIES);
    for (const priority of PRIORITIES) {
      const of = monitor.priorities[priority];
      const { wait, duration, ...numbers } = priorities[priority];
      const { queued, oldest, running, completed, failed, aborted } = of;
      assert.deepEqual(numbers, { queued, oldest, running, completed, failed, aborted });
      for (const [times, shown] of [[wait, of.wait], [duration, of.duration]]) {
        const { count, sum, min, max, mean, buckets } = shown;
        const { percentiles, ...rest } = times;
        assert.deepEqual(rest, { count, sum, min, max, mean, buckets: buckets.slice(0, -1) });
        assert.equal(percentiles[99], shown.percentile(99));
      }
    }
    const text = inspect(monitor, { depth: 5 });
    for (const name of ['TaskMonitor', ...Object.keys(plain), ...PRIORITIES, 'wait', 'queued']) {
      assert.ok(text.includes(name), name);
    }
  });
});

describe('the time of a TaskMonitor', () => {
  const clock = useClock();

  // Times or shares of the states, in their order.
  const inOrder = (all) => STATES.map((state) => all[state]);

  it('belongs to the priorities of tasks, to idle callbacks, and to what else runs', async () => {
    const monitor = enabledMonitor();
    for (const [index, priority] of PRIORITIES.entries()) {
      scheduler.postTask(async () => {
        clock.spend(10 * index);
        await scheduler.yield();
        clock.spend(1);
        await scheduler.wait(2);
      }, { priority });
    }
    requestIdleCallback(() => clock.spend(5));
    await clock.run();
    clock.spend(7);
    await clock.advance(100);
    assert.deepEqual(inOrder(monitor.time), [1, 11, 26, 7, 100]);
  });

  it('is shared out by utilization(), since the start and between two calls', async () => {
    const monitor = enabledMonitor();
    const start = monitor.utilization();
    assert.deepEqual(Object.keys(start), STATES);
    clock.post(10);
    await clock.run();
    const before = monitor.utilization();
    clock.post(20, { priority: 'background' });
    await clock.run();
    await clock.advance(10);
    assert.deepEqual(inOrder(before), [0, 1, 0, 0, 0]);
    for (const previous of [undefined, start]) {
      assert.deepEqual(inOrder(monitor.utilization(previous)), [0, 0.25, 0.5, 0, 0.25]);
    }
    const third = 1 / 3;
    assert.deepEqual(inOrder(monitor.utilization(before)), [0, 0, 2 * third, 0, third]);
    assert.equal(sumOf(monitor.utilization(monitor.utilization())), 0);
  });

  it('is shared out since a reset if the previous utilization() is from before it', async () => {
    const monitor = monitorTasks();
    assert.equal(sumOf(monitor.utilization()), 0);
    monitor.enable();
    const start = monitor.utilization();
    clock.post(50, { priority: 'user-blocking' });
    await clock.run();
    const before = monitor.utilization();
    monitor.reset();
    clock.post(5, { priority: 'background' });
    await clock.run();
    for (const previous of [start, before]) {
      assert.deepEqual(inOrder(monitor.utilization(previous)), [0, 0, 1, 0, 0]);
    }
    scheduler.postTask(() => {
      const inside = monitor.utilization();
      clock.spend(5);
      monitor.reset();
      clock.spend(1);
      assert.deepEqual(inOrder(monitor.utilization(inside)), [0, 1, 0, 0, 0]);
    });
    await clock.run();
    monitor.disable();
    monitor.reset();
    for (const previous of [undefined, before]) {
      assert.equal(sumOf(monitor.utilization(previous)), 0);
    }
  });
});

describe('the time of a TaskMonitor, where the idle time of the host is no whole number', () => {
  const own = Object.getOwnPropertyDescriptor(performance.nodeTiming, 'idleTime');
  before(() => {
    // 1e6 times this number of ms is 1024000001.0000001 ns.
    const get = () => 1024.000001;
    Object.defineProperty(performance.nodeTiming, 'idleTime', { ...own, get });
  });
  after(() => Object.defineProperty(performance.nodeTiming, 'idleTime', own));
  const clock = useClock();

  it('is exact', async () => {
    const monitor = enabledMonitor();
    clock.spend(7);
    await clock.advance(100);
    const { other, idle } = monitor.time;
    assert.deepEqual([other, idle], [7, 100]);
  });
});

describe('what watches tasks', () => testScenarios('watch'));

if (canCompile) {
  describe('what watches tasks while a task runs the loop', () => {
    before(() => (process.env.NESTED_ADDON = nestedAddon()));
    after(() => delete process.env.NESTED_ADDON);

    testScenarios('watch-nested');
  });
}
