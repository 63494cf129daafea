'use strict';

// SharedTask: how its callback is called, and the signals of its joins. What settles the joins is
// in shared-task-programs.test.js, how urgent a run is in shared-task-priority.test.js.

const assert = require('node:assert/strict');
const { Worker } = require('node:worker_threads');
const { SharedTask, onIdle, scheduler } = require('../..');
const { controlled } = require('../helpers/shared-tasks.js');
const { ROOT } = require('../helpers/tasks.js');

const membersOf = ({ priority, joined, isRunning }) => [priority, joined, isRunning];

describe('a SharedTask', () => {
  beforeEach(() => onIdle());

  it('calls its callback in a task, without receiver and arguments', async () => {
    const calls = [];
    const task = new SharedTask(function callback(...args) {
      calls.push([this, ...args]);
      return 'result';
    });
    const promise = task.join();
    assert.deepEqual(calls, []);
    assert.equal(await promise, 'result');
    assert.deepEqual(calls, [[undefined]]);
  });

  it('counts a run as over in the microtasks of a callback that has returned', async () => {
    let runs = 0;
    let second;
    const task = new SharedTask(() => {
      runs++;
      if (runs === 1) queueMicrotask(() => (second = task.join()));
      return runs;
    });
    assert.equal(await task.join(), 1);
    assert.equal(await second, 2);
  });

  it('has a join() that needs no receiver', async () => {
    const task = new SharedTask(() => 'result');
    const { join } = task;
    assert.equal(task.join, join);
    assert.equal(await join(), 'result');
    assert.equal(await join.call({}), 'result');
    assert.deepEqual(await Promise.all([undefined, null, {}].map(join)), Array(3).fill('result'));
  });

  it('can be extended', async () => {
    class Counting extends SharedTask {
      joins = 0;

      join(options) {
        this.joins++;
        return super.join(options);
      }
    }
    const task = new Counting(() => 'result');
    assert.equal(await task.join(), 'result');
    assert.equal(task.joins, 1);
  });

  it('works in a worker, which has shared tasks of its own', async () => {
    const worker = new Worker(`
      const { parentPort, workerData } = require('node:worker_threads');
      const { SharedTask } = require(workerData);
      const task = new SharedTask(() => 'result');
      Promise.all([task.join(), task.join()]).then((all) => parentPort.postMessage(all));
    `, { eval: true, workerData: ROOT });
    const [message] = await require('node:events').once(worker, 'message');
    assert.deepEqual(message, ['result', 'result']);
    await worker.terminate();
  });

  it('hands its result to those that wait before a run that comes meanwhile starts', async () => {
    const log = [];
    const task = new SharedTask(async () => {
      log.push('run');
      await scheduler.yield();
    });
    const joins = [1, 2].map((name) => task.join().then(() => {
      log.push(name);
      return name === 1 ? task.join() : undefined;
    }));
    await Promise.all(joins);
    assert.deepEqual(log, ['run', 1, 2, 'run']);
  });
});

describe('the signal of a join()', () => {
  beforeEach(() => onIdle());

  it('that takes no listener rejects, and begins nothing', async () => {
    const error = new Error('hostile');
    const signal = { aborted: false, addEventListener() {
      throw error;
    } };
    const { task, runs } = controlled();
    await assert.rejects(task.join({ signal }), (e) => e === error);
    const unreadable = { get aborted() {
      throw error;
    } };
    await assert.rejects(task.join({ signal: unreadable }), (e) => e === error);
    assert.deepEqual(membersOf(task), ['background', 0, false]);
    await onIdle();
    assert.equal(runs.length, 0);
  });

  it('that is aborted while it is asked begins nothing', async () => {
    let reads = 0;
    const reason = new Error('mine');
    const signal = { reason, addEventListener() {}, get aborted() {
      return ++reads >= 3;
    } };
    const { task } = controlled();
    await assert.rejects(task.join({ signal }), (e) => e === reason);
    assert.deepEqual(membersOf(task), ['background', 0, false]);
  });

  it('gets no listener that stays', async () => {
    const { signal } = new AbortController();
    const task = new SharedTask(() => {});
    for (let count = 0; count < 5; count++) await task.join({ signal });
    // The listener is removed at the end of a check phase.
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    const { getEventListeners } = require('node:events');
    assert.equal(getEventListeners(signal, 'abort').length, 0);
  });
});
