'use strict';

// postTask() and yield(): results, errors, and how the callback is called.
// scheduling-state.test.js tests how the scheduling state follows asynchronous code.

const assert = require('node:assert/strict');
const { stat } = require('node:fs/promises');
const { setImmediate: turn, setTimeout: sleep } = require('node:timers/promises');
const { scheduler } = require('../..');
const { PRIORITIES, settled } = require('../helpers/tasks.js');

describe('postTask', () => {
  for (const outer of PRIORITIES) {
    it(`lets deasync wait in a ${outer} task for all that a loop runs @nestedLoops`, async () => {
      const { loopWhile } = require('deasync');
      const waits = [() => stat('.'), () => turn(), () => sleep(2)];
      for (const priority of PRIORITIES) {
        waits.push(() => scheduler.yield({ priority }));
        for (const delay of [0, 2]) {
          waits.push(() => scheduler.postTask(() => {}, { priority, delay }));
        }
      }
      const ended = await scheduler.postTask(() => waits.filter((wait) => {
        let isOver = false;
        wait().then(() => (isOver = true));
        loopWhile(() => !isOver);
        return isOver;
      }), { priority: outer });
      assert.deepEqual(ended, waits);
    });
  }

  it('calls the callback when it has returned, without receiver and arguments', async () => {
    const log = [];
    const task = scheduler.postTask(function callback(...args) {
      log.push([this, ...args]);
    }, { priority: 'user-blocking' });
    log.push('returned');
    await task;
    assert.deepEqual(log, ['returned', [undefined]]);
  });

  const fail = (error) => () => { throw error; };
  const error = new Error('mine');
  const thenable = { then: (resolve) => resolve('followed') };
  const withGetter = { get then() { return fail(error)(); } };
  const values = [undefined, null, 0, '', false, NaN, {}, Symbol.iterator];
  const { proxy, revoke } = Proxy.revocable({}, {});
  for (const [which, callback, state, value] of [
    ...values.map((value) => [`the result ${String(value)}`, () => value, 'fulfilled', value]),
    ['a thenable', () => thenable, 'fulfilled', 'followed'],
    ['a thenable that rejects', () => ({ then: (_, no) => no('bad') }), 'rejected', 'bad'],
    ['a result whose `then` throws', () => withGetter, 'rejected', error],
    ['a callback that is a proxy', new Proxy(() => 1, {}), 'fulfilled', 1],
    ['a callback that is bound', function get() { return this; }.bind('it'), 'fulfilled', 'it'],
    ['a callback that is a class', class {}, 'rejected', TypeError],
    ['a promise whose value becomes a revoked proxy', async () => {
      queueMicrotask(revoke);
      return proxy;
    }, 'rejected', TypeError],
    ...[...values, error, thenable, Promise.resolve()].map((thrown) =>
      [`the error ${typeof thrown} ${String(thrown)}`, fail(thrown), 'rejected', thrown]),
  ]) {
    it(`settles as the callback says: ${which}`, async () => {
      const result = await settled(scheduler.postTask(callback));
      assert.equal(result[0], state);
      if (value === TypeError) assert.ok(result[1] instanceof TypeError);
      else assert.ok(Object.is(result[1], value));
    });
  }

  it('rejects at once if the callback throws', async () => {
    const log = [];
    const task = scheduler.postTask(() => {
      queueMicrotask(() => {
        log.push('before');
        queueMicrotask(() => log.push('after'));
      });
      throw error;
    });
    await task.catch(() => log.push('rejected'));
    await scheduler.postTask(() => {});
    assert.deepEqual(log, ['before', 'rejected', 'after']);
  });

  it('leads from an error of an async task to its caller @errors-as-text', async () => {
    async function failLater() {
      await new Promise(setImmediate);
      throw new Error('failed');
    }
    async function awaitTheTask(options) {
      await scheduler.postTask(async () => await failLater(), options);
    }
    const { signal } = new AbortController();
    for (const options of [{}, { signal }, { priority: 'background' }]) {
      await assert.rejects(awaitTheTask(options), ({ stack }) =>
        /async awaitTheTask/.test(stack) && !/scheduler-task|dist/.test(stack));
    }
  });
});

describe('yield', () => {
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
});
