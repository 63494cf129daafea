'use strict';

// A TaskMonitor as plain values: for JSON, and for other threads.

const assert = require('node:assert/strict');
const { once } = require('node:events');
const { setImmediate: turn } = require('node:timers/promises');
const { Worker } = require('node:worker_threads');
const { scheduler } = require('../..');
const { LIMIT, ROOT } = require('../helpers/programs.js');
const { PRIORITIES, busy } = require('../helpers/tasks.js');
const { enabledMonitor, separateTests } = require('../helpers/watch.js');

const COUNTS = ['queued', 'oldest', 'running', 'completed', 'failed', 'aborted'];

describe('a TaskMonitor in JSON', () => {
  separateTests();

  it('has all that it shows', async () => {
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
      const { wait, duration, ...counts } = priorities[priority];
      assert.deepEqual(counts, Object.fromEntries(COUNTS.map((name) => [name, of[name]])));
      for (const [times, shown] of [[wait, of.wait], [duration, of.duration]]) {
        const { count, sum, min, max, mean, buckets } = shown;
        assert.deepEqual([times.count, times.sum, times.mean], [count, sum, mean]);
        assert.deepEqual([times.min, times.max], [min, max]);
        assert.equal(times.percentiles[99], shown.percentile(99));
        assert.deepEqual(times.buckets, buckets.slice(0, -1));
      }
    }
    assert.equal(priorities.background.completed, 1);
  });

  it('goes from a worker to the main thread', async () => {
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
