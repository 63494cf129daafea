'use strict';

// yield(): its promise, chains of continuations, and an aborted source. order.test.js tests the
// priority and the abort source for each combination of options, scheduling-state.test.js how the
// scheduling state follows asynchronous code.

const assert = require('node:assert/strict');
const { scheduler } = require('../..');
const { settled } = require('../helpers/tasks.js');

describe('yield', () => {
  it('resolves to undefined, by a promise of this realm', async () => {
    const continuation = scheduler.yield();
    assert.equal(Object.getPrototypeOf(continuation), Promise.prototype);
    assert.equal(await continuation, undefined);
    const inTask = scheduler.postTask(() => scheduler.yield(), { priority: 'background' });
    assert.equal(await inTask, undefined);
  });

  it('lets a chain that has begun run before a task of its priority', async () => {
    const log = [];
    const chain = (name) => async () => {
      for (let step = 0; step < 3; step++) {
        log.push(`${name}${step}`);
        await scheduler.yield();
      }
    };
    await Promise.all([scheduler.postTask(chain('a')), scheduler.postTask(chain('b'))]);
    assert.deepEqual(log, ['a0', 'a1', 'a2', 'b0', 'b1', 'b2']);
  });

  it('alternates between two chains that have begun', async () => {
    const log = [];
    const chain = async (name) => {
      for (let step = 0; step < 3; step++) {
        await scheduler.yield();
        log.push(`${name}${step}`);
      }
    };
    await Promise.all([chain('a'), chain('b')]);
    assert.deepEqual(log, ['a0', 'b0', 'a1', 'b1', 'a2', 'b2']);
  });

  it('rejects at once with the reason itself if its abort source is aborted', async () => {
    for (const reason of [new Error('mine'), 'text', 0, '', false, null]) {
      const controller = new AbortController();
      const { signal } = controller;
      await scheduler.postTask(async () => {
        await scheduler.yield();
        controller.abort(reason);
        const log = [];
        const task = scheduler.postTask(() => log.push('task'), { priority: 'user-blocking' });
        for (const options of [undefined, { signal: 'inherit', priority: 'background' },
          { signal }, { signal, priority: 'inherit' }]) {
          assert.deepEqual(await settled(scheduler.yield(options)), ['rejected', reason]);
          log.push('rejected');
        }
        await task;
        assert.deepEqual(log, [...Array(4).fill('rejected'), 'task']);
      }, { signal });
    }
  });

  it('continues in a new task, whose reactions end before the next task starts', async () => {
    const log = [];
    const chain = async () => {
      await scheduler.yield();
      log.push('continuation');
      await null;
      log.push('its microtask');
    };
    await Promise.all([chain(), scheduler.postTask(() => log.push('task'))]);
    assert.deepEqual(log, ['continuation', 'its microtask', 'task']);
  });
});
