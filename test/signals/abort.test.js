'use strict';

// Aborting tasks: before they are posted, while they wait, from inside their own callback and after
// it. tasks/order.test.js also aborts continuations, foreign-signals.test.js uses signals of other
// realms and of polyfills.

const assert = require('node:assert/strict');
const { TaskController, TaskSignal, scheduler } = require('../..');
const { PolyfillSignal, busy, output, settled, startedTask } = require('../helpers/tasks.js');

const never = () => assert.fail('an aborted task ran');

// Resolves when every task queued before has run.
function afterAll() {
  return scheduler.postTask(() => {}, { priority: 'background' });
}

describe('abort', () => {
  describe('of an already aborted signal', () => {
    const reasons = [new Error('mine'), 'text', 0, '', false, null, {}, Symbol('reason'), () => {}];

    it('rejects with the reason itself', async () => {
      for (const reason of reasons) {
        const controller = new TaskController();
        controller.abort(reason);
        for (const signal of [AbortSignal.abort(reason), controller.signal]) {
          const result = await settled(scheduler.postTask(never, { signal }));
          assert.deepEqual(result, ['rejected', reason]);
          assert.equal(result[1], reason);
        }
      }
    });

    it('rejects with the default reason of the host if none was given', async () => {
      const controller = new AbortController();
      const { signal } = controller;
      controller.abort(undefined);
      const [state, reason] = await settled(scheduler.postTask(never, { signal }));
      assert.equal(state, 'rejected');
      assert.equal(reason, signal.reason);
      assert.equal(reason.name, 'AbortError');
    });

    it('rejects with undefined if the reason is undefined', async () => {
      const signal = new PolyfillSignal();
      signal.abort(undefined);
      const result = await settled(scheduler.postTask(never, { signal }));
      assert.deepEqual(result, ['rejected', undefined]);
    });

    it('rejects with an AbortError if the signal does not support reasons', async () => {
      const signal = { aborted: true, addEventListener() {}, removeEventListener() {} };
      const [state, reason] = await settled(scheduler.postTask(never, { signal }));
      assert.equal(state, 'rejected');
      assert.equal(reason.name, 'AbortError');
    });

    it('rejects a delayed task at once', async () => {
      const signal = AbortSignal.abort('now');
      const task = scheduler.postTask(never, { signal, delay: 2 ** 40 });
      assert.deepEqual(await settled(task), ['rejected', 'now']);
    });
  });

  describe('of a waiting task', () => {
    it('rejects before anything else runs', async () => {
      const controller = new AbortController();
      const { signal } = controller;
      const log = [];
      const tasks = [
        scheduler.postTask(() => log.push('ahead'), { priority: 'user-blocking' }),
        scheduler.postTask(never, { signal, priority: 'background' }).catch(() => log.push('no')),
      ];
      controller.abort();
      await Promise.all(tasks);
      assert.deepEqual(log, ['no', 'ahead']);
    });

    it('cancels a delayed task, which no longer keeps the process alive', async () => {
      const controller = new AbortController();
      const { signal } = controller;
      const task = scheduler.postTask(never, { signal, delay: 5 });
      controller.abort('soon');
      assert.deepEqual(await settled(task), ['rejected', 'soon']);
      await scheduler.postTask(() => {}, { delay: 20, priority: 'background' });
    });

    it('cancels a delayed task whose deadline has passed', async () => {
      const controller = new AbortController();
      const { signal } = controller;
      const task = scheduler.postTask(never, { signal, delay: 1 });
      busy(10);
      controller.abort('late');
      assert.deepEqual(await settled(task), ['rejected', 'late']);
      await afterAll();
    });

    it('removes ten thousand tasks of one signal, in the order they were posted', async () => {
      const controller = new TaskController();
      const { signal } = controller;
      const log = [];
      const expected = [];
      const tasks = [];
      for (let each = 0; each < 10_000; each++) {
        const options = { signal };
        if (each % 3 === 1) options.priority = 'background';
        if (each % 5 === 1) options.delay = 1000 - (each % 7);
        tasks.push(scheduler.postTask(never, options).catch(() => log.push(each)));
        expected.push(each);
      }
      controller.abort();
      await Promise.all(tasks);
      assert.deepEqual(log, expected);
      await afterAll();
    });
  });

  describe('inside the callback of the task', () => {
    it('rejects a delayed task that is running', async () => {
      const controller = new TaskController();
      const { signal } = controller;
      const task = scheduler.postTask(() => controller.abort('inside'), { signal, delay: 1 });
      assert.deepEqual(await settled(task), ['rejected', 'inside']);
    });
  });

  describe('after the callback has returned', () => {
    it('does nothing while the result is still pending', async () => {
      const controller = new AbortController();
      const { signal } = controller;
      const { task, finish } = await startedTask({ signal });
      await scheduler.postTask(() => controller.abort());
      finish('late');
      assert.deepEqual(await settled(task), ['fulfilled', 'late']);
    });

    it('does nothing after an await in the callback', async () => {
      const controller = new AbortController();
      const { signal } = controller;
      const task = scheduler.postTask(async () => {
        await null;
        controller.abort();
        return 'done';
      }, { signal });
      assert.deepEqual(await settled(task), ['fulfilled', 'done']);
    });

    it('leaves no listener behind after the check phase', async () => {
      const signal = new PolyfillSignal();
      for (let phase = 0; phase < 2; phase++) {
        const tasks = [1, 2, 3].map(() => scheduler.postTask(() => {}, { signal }));
        assert.ok(signal.listeners.length > 0);
        await Promise.all(tasks);
        await new Promise((resolve) => setImmediate(resolve));
        assert.deepEqual(signal.listeners, []);
      }
    });

    it('uses one listener for consecutive tasks', async () => {
      const signal = new PolyfillSignal();
      let count = 0;
      const add = signal.addEventListener;
      signal.addEventListener = function () {
        count++;
        return add.apply(this, arguments);
      };
      await scheduler.postTask(async () => {
        for (let yields = 0; yields < 10; yields++) await scheduler.yield();
      }, { signal });
      // A turn of the loop may end between two tasks.
      assert.ok(count < 5, `${count} listeners were added`);
    });
  });

  describe('cannot be prevented or faked', () => {
    it('by a dispatched event before the real abort, both inside the callback', async () => {
      const controller = new AbortController();
      const { signal } = controller;
      const task = scheduler.postTask(() => {
        signal.dispatchEvent(new Event('abort'));
        controller.abort('real');
      }, { signal });
      assert.deepEqual(await settled(task), ['rejected', 'real']);
    });

    it('by dispatched events on a signal that is used repeatedly', async () => {
      const controller = new AbortController();
      const { signal } = controller;
      for (let times = 0; times < 20; times++) await scheduler.postTask(() => {}, { signal });
      const task = scheduler.postTask(never, { signal });
      controller.abort('at last');
      assert.deepEqual(await settled(task), ['rejected', 'at last']);
    });
  });

  it('rejects an older task before one that an abort listener has posted', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const log = [];
    let late;
    signal.addEventListener('abort', () => {
      late = scheduler.postTask(never, { signal }).catch(() => log.push('late'));
    });
    const early = scheduler.postTask(never, { signal }).catch(() => log.push('early'));
    controller.abort();
    await Promise.all([early, late]);
    assert.deepEqual(log, ['early', 'late']);
  });

  it('lets a listener post tasks with other signals', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    let other;
    signal.addEventListener('abort', () => (other = scheduler.postTask(() => 'other')));
    const task = scheduler.postTask(never, { signal });
    controller.abort();
    await assert.rejects(task, { name: 'AbortError' });
    assert.equal(await other, 'other');
  });

  describe('can come from', () => {
    it('AbortSignal.timeout()', async () => {
      const signal = AbortSignal.timeout(5);
      const task = scheduler.postTask(never, { signal, delay: 60_000 });
      await assert.rejects(task, { name: 'TimeoutError' });
    });

    for (const { any, name } of [{ any: AbortSignal.any, name: 'AbortSignal' },
      { any: TaskSignal.any, name: 'TaskSignal' }]) {
      it(`${name}.any()`, async () => {
        const controllers = [new AbortController(), new TaskController()];
        const signal = any.call(AbortSignal, controllers.map((each) => each.signal));
        const tasks = [1, 2].map(() => scheduler.postTask(never, { signal }));
        controllers[1].abort('second');
        controllers[0].abort('first');
        const expected = Array(2).fill(['rejected', 'second']);
        assert.deepEqual(await Promise.all(tasks.map(settled)), expected);
      });
    }
  });

  it('handles a dispatched event once even if another listener adds itself again', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    let heard = 0;
    const listener = () => {
      assert.ok(++heard < 100, 'the event never ends');
      signal.addEventListener('abort', listener, { once: true });
    };
    listener();
    const task = scheduler.postTask(never, { signal, delay: 60_000 });
    signal.dispatchEvent(new Event('abort'));
    controller.abort('mine');
    assert.deepEqual(await settled(task), ['rejected', 'mine']);
  });

  it('inside the callback leaves the thenable that the callback returns untouched', async () => {
    const lines = await output((root) => {
      const { scheduler: own } = require(root);
      const controller = new AbortController();
      own.postTask(() => {
        controller.abort('mine');
        return { then: () => console.log('then') };
      }, { signal: controller.signal }).catch(console.log);
    });
    assert.deepEqual(lines, ['mine']);
  });

  it('inside an async callback handles the rejection by that reason, and no other', async () => {
    const lines = await output((root) => {
      const { pieces, scheduler: own } = require(root);
      process.on('unhandledRejection', (error) => console.log('unhandled', error));
      const endings = {
        yield: () => own.yield(),
        wait: () => own.wait(1),
        pieces: (signal) => pieces([1], { signal }).next(),
        other: () => Promise.reject('another'),
        none: () => undefined,
      };
      for (const [name, end] of Object.entries(endings)) {
        const controller = new AbortController();
        const { signal } = controller;
        own.postTask(async () => {
          controller.abort(name);
          await end(signal);
        }, { signal }).catch((reason) => console.log(reason));
      }
    });
    assert.deepEqual(lines.sort(), [
      'none', 'other', 'pieces', 'unhandled another', 'wait', 'yield',
    ]);
  });

  it('causes neither an uncaught exception nor a listener leak warning', async () => {
    const lines = await output((root) => {
      const { scheduler: own } = require(root);
      const controller = new AbortController();
      const { signal } = controller;
      const tasks = Array.from({ length: 50 }, () => own.postTask(() => {}, { signal }));
      process.on('warning', (warning) => console.log(warning.name));
      controller.abort();
      Promise.allSettled(tasks).then((results) => console.log(results.length));
    });
    assert.deepEqual(lines, ['50']);
  });
});
