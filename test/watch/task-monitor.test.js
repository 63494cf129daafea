'use strict';

// monitorTasks(): what it counts and shows without subscribers, and where the time of the thread
// goes. ../loop/random-programs.test.js tests the counts beside subscribers, and what waits and
// runs now. Programs that need a process of their own are in fixtures/scenarios/watch.js.

const assert = require('node:assert/strict');
const { stat } = require('node:fs/promises');
const { setImmediate: turn, setTimeout: sleep } = require('node:timers/promises');
const { inspect } = require('node:util');
const { drain, monitorTasks, requestIdleCallback, scheduler } = require('../..');
const { PRIORITIES, busy, started } = require('../helpers/tasks.js');
const { testScenarios } = require('../helpers/loop.js');
const { canCompile, nestedAddon } = require('../helpers/nested-addon.js');
const { CLOSE, counts, enabledMonitor, record, separateTests, stopwatch } =
  require('../helpers/watch.js');

const nothing = () => {};

const STATES = [...PRIORITIES, 'other', 'idle'];

const sumOf = (time) => STATES.reduce((all, state) => all + time[state], 0);

// Asserts that the shares of some time are such.
function assertShares(shares) {
  const text = JSON.stringify(shares);
  for (const state of STATES) assert.ok(shares[state] >= 0 && shares[state] <= 1, text);
  assert.ok(Math.abs(sumOf(shares) - 1) <= 1e-9, text);
}

describe('a TaskMonitor counts', () => {
  separateTests();

  it('as aborted what a draining rejects: waiting, running, continuations', async () => {
    const monitor = enabledMonitor();
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
    await turn();
    assert.deepEqual(PRIORITIES.map((priority) => counts(monitor, priority)),
      [{}, { aborted: 2, waits: 1, durations: 1 }, { aborted: 1 }]);
  });

  it('the wait of a task from when it was queued until it starts, without its delay', async () => {
    const monitor = enabledMonitor();
    const { wait } = monitor.priorities['user-visible'];
    const first = scheduler.postTask(() => busy(20), { priority: 'user-blocking' });
    await Promise.all([first, scheduler.postTask(nothing), scheduler.postTask(nothing)]);
    assert.ok(wait.count === 2 && wait.sum >= 40, `${wait.sum} ms`);
    const elapsed = stopwatch();
    const { sum } = wait;
    await scheduler.postTask(nothing, { delay: 1000, signal: AbortSignal.timeout(1) })
      .catch(nothing);
    await scheduler.postTask(nothing, { delay: 300 });
    assert.equal(wait.count, 3);
    assert.ok(wait.sum - sum <= elapsed() - 290, `${wait.sum} ms`);
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

  it('nothing while it is disabled, and from 0 after a reset', async () => {
    const monitor = monitorTasks();
    const one = { completed: 1, waits: 1, durations: 1 };
    const work = async () => {
      await scheduler.postTask(() => busy(1));
      await turn();
    };
    await work();
    assert.deepEqual([counts(monitor), monitor.disable()], [{}, false]);
    assert.deepEqual([monitor.enable(), monitor.enable()], [true, false]);
    await work();
    assert.equal(monitor.disable(), true);
    const before = JSON.stringify(monitor.time);
    await work();
    assert.deepEqual(counts(monitor), one);
    assert.equal(JSON.stringify(monitor.time), before);
    monitor.enable();
    monitor.reset();
    assert.deepEqual([counts(monitor), monitor.longest, monitor.labels], [{}, [], []]);
    await work();
    assert.deepEqual(counts(monitor), one);
    monitor[Symbol.dispose]();
    assert.equal(monitor.disable(), false);
    monitor.reset();
    assert.deepEqual(counts(monitor), {});
    for (const time of Object.values(monitor.time)) assert.equal(time, 0);
  });
});

describe('a TaskMonitor shows', () => {
  separateTests();

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

  it('the same in JSON and in util.inspect()', async () => {
    const monitor = enabledMonitor();
    await scheduler.postTask(() => busy(3), { label: 'a', priority: 'background' });
    await scheduler.postTask(() => busy(1), { label: 'b', fairnessKey: 'tenant' });
    await turn();
    monitor.disable();
    const plain = JSON.parse(JSON.stringify(monitor));
    assert.deepEqual(plain, monitor.toJSON());
    const { priorities, ...others } = plain;
    const priorityOf = plain.longest.map(({ label, priority }) => [label, priority]);
    assert.deepEqual(Object.fromEntries(priorityOf), { a: 'background', b: 'user-visible' });
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
    const all = sumOf(time);
    assert.ok(from <= all && all <= to, `${all}, not ${from} to ${to}`);
    for (const state of STATES) assert.ok(time[state] > 4, `${state}: ${time[state]}`);
    assert.ok(time['background'] >= 9);
  });

  it('is shared out by utilization(), since the start and between two calls', async () => {
    const monitor = enabledMonitor();
    const [elapsed, one] = [stopwatch(), monitor.utilization()];
    await scheduler.postTask(() => busy(5));
    await turn();
    const [elapsedBetween, all] = [stopwatch(), monitor.utilization()];
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
    assert.equal(sumOf(monitor.utilization()), 0);
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
      assert.equal(sumOf(monitor.utilization(previous)), 0);
    }
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
