'use strict';

// postTask() and yield(): results, errors, and how the callback is called. Also createScheduler().
// order.test.js tests priorities, order and abort sources, scheduling-state.test.js how the
// scheduling state follows asynchronous code.

const assert = require('node:assert/strict');
const { Scheduler, createScheduler, scheduler } = require('../..');
const { settled } = require('../helpers/tasks.js');

describe('postTask', () => {
  describe('calls the callback', () => {
    it('with no arguments and `this` undefined', async () => {
      const call = await scheduler.postTask(function callback(...args) {
        return { self: this, args };
      });
      assert.deepEqual(call, { self: undefined, args: [] });
    });

    it('only after postTask() has returned', async () => {
      const log = [];
      const task = scheduler.postTask(() => log.push('task'), { priority: 'user-blocking' });
      log.push('returned');
      await task;
      assert.deepEqual(log, ['returned', 'task']);
    });

    it('if it is a proxy or a bound function', async () => {
      assert.equal(await scheduler.postTask(new Proxy(() => 1, {})), 1);
      assert.equal(await scheduler.postTask(function get() {
        return this;
      }.bind(2)), 2);
    });
  });

  describe('returns a promise', () => {
    it('of this realm', async () => {
      const task = scheduler.postTask(() => {});
      assert.equal(Object.getPrototypeOf(task), Promise.prototype);
      await task;
    });

    it('for the result', async () => {
      const object = {};
      for (const value of [undefined, null, 0, '', false, NaN, object, Symbol.iterator]) {
        assert.equal(await scheduler.postTask(() => value), value);
      }
    });

    it('that follows a thenable result', async () => {
      const good = { then: (resolve) => resolve('good') };
      const bad = { then: (resolve, reject) => reject('bad') };
      assert.equal(await scheduler.postTask(() => good), 'good');
      assert.deepEqual(await settled(scheduler.postTask(() => bad)), ['rejected', 'bad']);
    });

    it('that is rejected with the error of a getter `then` of the result', async () => {
      const error = new Error('then');
      const result = Object.defineProperty({}, 'then', {
        get() {
          throw error;
        },
      });
      assert.deepEqual(await settled(scheduler.postTask(() => result)), ['rejected', error]);
    });

    it('that is rejected with any value that the callback throws', async () => {
      const thenable = { then: (resolve) => resolve('followed') };
      const plain = [undefined, null, 0, '', Object.create(null)];
      for (const thrown of [new Error('mine'), ...plain, thenable, Promise.resolve()]) {
        const task = scheduler.postTask(() => {
          throw thrown;
        });
        const [state, reason] = await settled(task);
        assert.equal(state, 'rejected');
        assert.equal(reason, thrown);
      }
    });

    it('that is rejected at once if the callback throws', async () => {
      const log = [];
      const task = scheduler.postTask(() => {
        queueMicrotask(() => {
          log.push('before');
          queueMicrotask(() => log.push('after'));
        });
        throw new Error('mine');
      });
      await task.catch(() => log.push('rejected'));
      await scheduler.postTask(() => {});
      assert.deepEqual(log, ['before', 'rejected', 'after']);
    });

    it('that is rejected if the callback is a class', async () => {
      await assert.rejects(scheduler.postTask(class {}), TypeError);
    });

    it('that is rejected if the value of a promise becomes a thenable that throws', async () => {
      const { proxy, revoke } = Proxy.revocable({}, {});
      await assert.rejects(scheduler.postTask(async () => {
        queueMicrotask(revoke);
        return proxy;
      }), TypeError);
      const late = {};
      await assert.rejects(scheduler.postTask(async () => {
        queueMicrotask(() => (late.then = (_, reject) => reject(new Error('late'))));
        return late;
      }), /late/);
    });

    it('whose reactions run before the next task', async () => {
      const log = [];
      const first = scheduler.postTask(() => log.push('a')).then(() => log.push('a then'));
      await Promise.all([first, scheduler.postTask(() => log.push('b'))]);
      assert.deepEqual(log, ['a', 'a then', 'b']);
    });
  });
});

describe('yield', () => {
  it('resolves to undefined, by a promise of this realm', async () => {
    const continuation = scheduler.yield();
    assert.equal(Object.getPrototypeOf(continuation), Promise.prototype);
    assert.equal(await continuation, undefined);
    const inTask = scheduler.postTask(() => scheduler.yield(), { priority: 'background' });
    assert.equal(await inTask, undefined);
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

describe('createScheduler', () => {
  it('creates another Scheduler', () => {
    const other = createScheduler();
    assert.notEqual(other, scheduler);
    assert.notEqual(other, createScheduler());
    assert.ok(other instanceof Scheduler);
    assert.ok(scheduler instanceof Scheduler);
  });

  it('leads from an error of an async task to its caller @errors-as-text', async () => {
    async function fail() {
      await new Promise(setImmediate);
      throw new Error('failed');
    }
    async function awaitTheTask(options) {
      await scheduler.postTask(async () => await fail(), options);
    }
    const { signal } = new AbortController();
    for (const options of [{}, { signal }, { priority: 'background' }]) {
      await assert.rejects(awaitTheTask(options), ({ stack }) => {
        return /async awaitTheTask/.test(stack) && !/scheduler-task|dist/.test(stack);
      });
    }
  });
});
