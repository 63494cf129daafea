'use strict';

// Aborting tasks: before they are posted, while they wait, and from inside their own callback.
// tasks/on-idle.test.js aborts them behind it.
// And by signals of other realms and of polyfills, which may lack a method, not support reasons, or
// throw: every task settles.

const assert = require('node:assert/strict');
const { SharedTask, TaskController, TaskSignal, scheduler } = require('../..');
const { PolyfillSignal, foreignSignal, output, settled } = require('../helpers/tasks.js');
const never = () => assert.fail('an aborted task ran');

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

  it('removes ten thousand waiting tasks of one signal, in the order of their posts', async () => {
    const controller = new TaskController();
    const log = [];
    const tasks = Array.from({ length: 10_000 }, (_, each) => {
      const options = { signal: controller.signal };
      if (each % 3 === 1) options.priority = 'background';
      if (each % 5 === 1) options.delay = 1000 - (each % 7);
      return scheduler.postTask(never, options).catch(() => log.push(each));
    });
    controller.abort();
    await Promise.all(tasks);
    assert.deepEqual(log, [...tasks.keys()]);
    // All run that is queued.
    await scheduler.postTask(() => {}, { priority: 'background' });
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

  it('counts behind a dispatched event, both inside the callback', async () => {
    const controller = new AbortController();
    const task = scheduler.postTask(() => {
      controller.signal.dispatchEvent(new Event('abort'));
      controller.abort('real');
    }, { signal: controller.signal });
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
        own.postTask(async () => {
          controller.abort(name);
          await end(controller.signal);
        }, { signal: controller.signal }).catch((reason) => console.log(reason));
      }
    });
    assert.deepEqual(lines.sort(), [
      'none', 'other', 'pieces', 'unhandled another', 'wait', 'yield',
    ]);
  });
});

describe('an abort can come from', () => {
  for (const [name, make] of Object.entries({
    'a signal of another realm': foreignSignal,
    'a polyfill': () => new PolyfillSignal(),
    'a polyfill that lacks removeEventListener': () =>
      Object.assign(new PolyfillSignal(), { removeEventListener: undefined }),
  })) {
    it(`${name}, whose dispatched events do not abort`, async () => {
      const signal = make();
      const ran = scheduler.postTask(() => 'ran', { signal });
      signal.dispatch();
      assert.deepEqual(await settled(ran), ['fulfilled', 'ran']);
      const tasks = [0, 60_000].map((delay) => scheduler.postTask(never, { signal, delay }));
      tasks.push(new SharedTask(() => 'ran').join({ signal }));
      signal.dispatch();
      signal.abort('mine');
      tasks.push(scheduler.postTask(never, { signal }));
      const expected = Array(4).fill(['rejected', 'mine']);
      assert.deepEqual(await Promise.all(tasks.map(settled)), expected);
    });
  }

  it('a polyfill that does not support reasons', async () => {
    const signal = new PolyfillSignal();
    delete signal.reason;
    const task = scheduler.postTask(never, { signal });
    signal.aborted = true;
    signal.dispatch();
    await assert.rejects(task, { name: 'AbortError' });
  });
});

describe('a task settles', () => {
  const fail = () => { throw new Error('polyfill'); };

  it('if removeEventListener or the getter `reason` of its signal throws', async () => {
    const kept = Object.assign(new PolyfillSignal(), { removeEventListener: fail });
    assert.equal(await scheduler.postTask(() => 'ran', { signal: kept }), 'ran');
    assert.equal(await scheduler.yield({ signal: kept }), undefined);
    const signal = Object.defineProperty(new PolyfillSignal(), 'reason', { get: fail });
    const tasks = [0, 1].map(() => settled(scheduler.postTask(never, { signal })));
    signal.aborted = true;
    signal.dispatch();
    for (const [how] of await Promise.all(tasks)) assert.equal(how, 'rejected');
  });

  it('at whichever read the getter `aborted` of its signal begins to throw', async () => {
    for (let good = 0; good < 15; good++) {
      const signal = new PolyfillSignal();
      let reads = 0;
      const get = () => ++reads > good && fail();
      Object.defineProperty(signal, 'aborted', { get });
      const callback = () => {
        // No abort: the scheduler then reads `aborted` and adds its listener again.
        signal.dispatch();
        return 'ran';
      };
      const tasks = [
        scheduler.postTask(callback, { signal }),
        scheduler.postTask(callback, { signal, delay: 1 }),
        scheduler.yield({ signal }).then(() => 'ran'),
        new SharedTask(() => 'ran').join({ signal }),
      ];
      const isPosted = reads <= good;
      for (const [state, value] of await Promise.all(tasks.map(settled))) {
        if (isPosted || state === 'fulfilled') assert.equal(value, 'ran');
        else assert.equal(value.message, 'polyfill');
      }
      await new Promise((resolve) => setTimeout(resolve, 1));
      assert.deepEqual(signal.listeners, [], `${good} reads were good`);
    }
  });

  it('once: a task whose signal refused the listener is forgotten', async () => {
    const signal = new PolyfillSignal();
    const { addEventListener } = signal;
    signal.addEventListener = fail;
    await assert.rejects(scheduler.postTask(never, { signal }), { message: 'polyfill' });
    signal.addEventListener = addEventListener;
    const second = scheduler.postTask(never, { signal, delay: 60_000 });
    signal.abort('mine');
    assert.deepEqual(await settled(second), ['rejected', 'mine']);
  });
});
