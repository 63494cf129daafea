'use strict';

// Aborting tasks: before they are posted, while they wait, from inside their own callback and after
// it. tasks/order.test.js and delay.test.js abort tasks in random programs, foreign-signals.test.js
// uses signals of other realms and of polyfills.

const assert = require('node:assert/strict');
const { TaskController, TaskSignal, scheduler } = require('../..');
const { PolyfillSignal, output, settled, startedTask } = require('../helpers/tasks.js');

const never = () => assert.fail('an aborted task ran');

// Resolves when every task queued before has run.
function afterAll() {
  return scheduler.postTask(() => {}, { priority: 'background' });
}

describe('abort', () => {
  // Signals that are aborted, each with its reason.
  const mine = {};
  const byDefault = AbortSignal.abort();
  const withoutReason = Object.assign(new PolyfillSignal(), { aborted: true });
  for (const [which, signal, reason] of [
    ['with a reason', AbortSignal.abort(mine), mine],
    ['with a reason that is falsy', AbortSignal.abort(0), 0],
    ['of a controller', TaskSignal.any([AbortSignal.abort(null)]), null],
    ["with the host's reason", byDefault, byDefault.reason],
    ['with undefined as its reason', withoutReason, undefined],
  ]) {
    it(`of a signal that is aborted ${which} rejects with the reason itself`, async () => {
      for (const delay of [0, 2 ** 40]) {
        const result = await settled(scheduler.postTask(never, { signal, delay }));
        assert.equal(result[0], 'rejected');
        assert.equal(result[1], reason);
      }
    });
  }

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

  describe('after the callback has returned', () => {
    it('does nothing while the result is still pending', async () => {
      const controller = new AbortController();
      const { signal } = controller;
      const { task, finish } = await startedTask({ signal });
      await scheduler.postTask(() => controller.abort());
      finish('late');
      assert.deepEqual(await settled(task), ['fulfilled', 'late']);
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

  it('counts behind a dispatched event, both inside the callback', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const task = scheduler.postTask(() => {
      signal.dispatchEvent(new Event('abort'));
      controller.abort('real');
    }, { signal });
    assert.deepEqual(await settled(task), ['rejected', 'real']);
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
});
