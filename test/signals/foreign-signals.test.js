'use strict';

// Tasks with signals of another realm and of polyfills, which may lack a method, not support
// reasons, or throw. Such signals abort like any other, and every task settles.

const assert = require('node:assert/strict');
const { SharedTask, scheduler } = require('../..');
const { PolyfillSignal, foreignSignal, settled } = require('../helpers/tasks.js');

const never = () => assert.fail('an aborted task ran');

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
