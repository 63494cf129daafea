'use strict';

// SharedTask: how its callback is called, and the signals of its joins. What settles the joins is
// in shared-task-programs.test.js, how urgent a run is in shared-task-priority.test.js.

const assert = require('node:assert/strict');
const { getEventListeners } = require('node:events');
const { SharedTask, onIdle, scheduler } = require('../..');

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
  const error = new Error('mine');
  const fail = () => {
    throw error;
  };
  let reads = 0;
  for (const [which, signal] of Object.entries({
    'takes no listener': { aborted: false, addEventListener: fail },
    'cannot be read': { get aborted() { return fail(); } },
    'is aborted while it is asked': {
      reason: error, addEventListener() {}, get aborted() { return ++reads >= 3; },
    },
  })) {
    it(`that ${which} rejects, and begins nothing`, async () => {
      const task = new SharedTask(assert.fail);
      await assert.rejects(task.join({ signal }), (e) => e === error);
      assert.deepEqual([task.priority, task.joined, task.isRunning], ['background', 0, false]);
      await onIdle();
    });
  }

  it('gets no listener that stays', async () => {
    const { signal } = new AbortController();
    const task = new SharedTask(() => {});
    for (let count = 0; count < 5; count++) await task.join({ signal });
    // The listener is removed at the end of a check phase.
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    assert.equal(getEventListeners(signal, 'abort').length, 0);
  });
});
