'use strict';

// postTask(): results, errors, and how the callback is called. Also createScheduler().
// order.test.js tests the priorities and the order of tasks.

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

    it('with no arguments and `this` undefined after a delay', async () => {
      const callback = function callback(...args) {
        return { self: this, args };
      };
      const call = await scheduler.postTask(callback, { delay: 1 });
      assert.deepEqual(call, { self: undefined, args: [] });
    });

    it('exactly once', async () => {
      let calls = 0;
      await scheduler.postTask(() => calls++);
      await scheduler.postTask(() => {}, { priority: 'background' });
      assert.equal(calls, 1);
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

    it('for the result of an async callback', async () => {
      assert.equal(await scheduler.postTask(async () => {
        await null;
        return 7;
      }), 7);
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

    it('that is rejected if the result is the promise itself', async () => {
      const task = scheduler.postTask(() => task);
      await assert.rejects(task, TypeError);
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

    it('that stays pending while the result is pending, and other tasks run', async () => {
      const log = [];
      let settle;
      const pending = scheduler.postTask(() => ({ then: (resolve) => (settle = resolve) }));
      const logged = pending.then(() => log.push('settled'));
      await scheduler.postTask(() => log.push('next'));
      await scheduler.postTask(() => log.push('last'), { priority: 'background' });
      assert.deepEqual(log, ['next', 'last']);
      settle();
      await logged;
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

  it('runs the next task after one that throws', async () => {
    const log = [];
    const tasks = [0, 1, 2].map((each) => scheduler.postTask(() => {
      log.push(each);
      throw new Error(`task ${each}`);
    }));
    await Promise.allSettled(tasks);
    assert.deepEqual(log, [0, 1, 2]);
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
