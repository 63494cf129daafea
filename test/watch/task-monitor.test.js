'use strict';

// monitorTasks(): what it counts and shows without subscribers. ../loop/random-programs.test.js
// tests the counts beside subscribers, and what waits and runs now. Programs that need a process of
// their own are in fixtures/scenarios/watch.js.

const assert = require('node:assert/strict');
const { once } = require('node:events');
const { setImmediate: turn, setTimeout: sleep } = require('node:timers/promises');
const { inspect } = require('node:util');
const { Worker } = require('node:worker_threads');
const {
  TaskController, drain, monitorTasks, requestIdleCallback, scheduler,
} = require('../..');
const { PRIORITIES, busy, started } = require('../helpers/tasks.js');
const { LIMIT, ROOT, testScenarios } = require('../helpers/loop.js');
const { canCompile, nestedAddon } = require('../helpers/nested-addon.js');
const { counts, enabledMonitor, record, separateTests, stopwatch } =
  require('../helpers/watch.js');

const nothing = () => {};

// Actions with tasks, and the counts of a monitor then, at priorities that have any.
const COUNTED = {
  'continuations by yield() and wait(), as tasks': [() => scheduler.postTask(async () => {
    await scheduler.yield();
    await scheduler.wait(1);
  }, { priority: 'background' }), { background: { completed: 3, waits: 3, durations: 3 } }],

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

  it('its values in JSON to other threads', async () => {
    const worker = new Worker(`
      const { parentPort } = require('node:worker_threads');
      const { monitorTasks, scheduler } = require(${JSON.stringify(ROOT)});
      const monitor = monitorTasks();
      monitor.enable();
      scheduler.postTask(() => {}, { label: 'of the worker' }).then(() => {
        setImmediate(() => parentPort.postMessage(monitor.toJSON()));
      });`, { eval: true });
    const [{ labels, priorities }] = await once(worker, 'message');
    assert.deepEqual(labels.map(({ label, count }) => [label, count]), [['of the worker', 1]]);
    assert.equal(priorities['user-visible'].wait.count, 1);
  }).timeout(LIMIT);
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
