'use strict';

// Tasks with signals of another realm and of polyfills, which may lack a method, not support
// reasons, or throw. Such signals abort like any other, and every task settles.

const assert = require('node:assert/strict');
const { SharedTask, scheduler } = require('../..');
const { PolyfillSignal, foreignSignal, output, settled } = require('../helpers/tasks.js');

const never = () => assert.fail('an aborted task ran');

describe('an abort can come from', () => {
  for (const [name, make] of Object.entries({
    'a signal of another realm': foreignSignal,
    'a polyfill': () => new PolyfillSignal(),
    'a polyfill that lacks removeEventListener': () => {
      return Object.assign(new PolyfillSignal(), { removeEventListener: undefined });
    },
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
  it('if removeEventListener or the getter `reason` of its signal throws', async () => {
    const lines = await output((root) => {
      const { scheduler: own } = require(root);
      process.on('uncaughtException', () => {});
      const fail = () => {
        throw new Error('polyfill');
      };
      const say = (name) => () => console.log(name);
      const kept = { aborted: false, addEventListener() {}, removeEventListener: fail };
      own.postTask(() => {}, { signal: kept }).then(say('task'), say('task'));
      own.yield({ signal: kept }).then(say('continuation'), say('continuation'));
      own.postTask(() => {}, { delay: 30 }).then(say('other'));
      let listener;
      const signal = {
        aborted: false,
        addEventListener: (type, each) => (listener = each),
        removeEventListener() {},
        get reason() {
          return fail();
        },
      };
      for (let each = 0; each < 2; each++) {
        own.postTask(say('never'), { signal }).catch(say('aborted'));
      }
      signal.aborted = true;
      try {
        listener.call(signal, { type: 'abort' });
      } catch {
        // abort() may throw the error.
      }
    });
    assert.deepEqual(lines.sort(), ['aborted', 'aborted', 'continuation', 'other', 'task']);
  });

  it('at whichever read the getter `aborted` of its signal begins to throw', async () => {
    for (let good = 0; good < 15; good++) {
      const signal = new PolyfillSignal();
      let reads = 0;
      Object.defineProperty(signal, 'aborted', {
        get() {
          if (++reads > good) throw new Error('polyfill');
          return false;
        },
      });
      const callback = () => {
        // No abort: the scheduler then reads `aborted` and adds its listener again.
        signal.dispatch();
        return 'ran';
      };
      const results = await Promise.all([
        scheduler.postTask(callback, { signal }),
        scheduler.yield({ signal }),
        scheduler.postTask(callback, { signal, delay: 1 }),
      ].map(settled));
      for (const [state, value] of results) {
        if (state === 'rejected') assert.equal(value.message, 'polyfill');
      }
      await new Promise((resolve) => setTimeout(resolve, 1));
      assert.deepEqual(signal.listeners, [], `${good} reads were good`);
    }
  });

  it('with the result of its callback if the getter `aborted` throws after the post', async () => {
    const signal = new PolyfillSignal();
    const tasks = [0, 1].map((delay) => scheduler.postTask(() => 'ran', { signal, delay }));
    tasks.push(scheduler.yield({ signal }).then(() => 'ran'));
    tasks.push(new SharedTask(() => 'ran').join({ signal }));
    Object.defineProperty(signal, 'aborted', {
      get() {
        throw new Error('polyfill');
      },
    });
    signal.dispatch();
    const expected = Array(4).fill(['fulfilled', 'ran']);
    assert.deepEqual(await Promise.all(tasks.map(settled)), expected);
  });

  it('with the reason of a signal that is aborted during postTask()', async () => {
    const signal = new PolyfillSignal();
    signal.addEventListener = () => {
      signal.aborted = true;
      signal.reason = 'early';
    };
    const task = scheduler.postTask(never, { signal });
    assert.deepEqual(await settled(task), ['rejected', 'early']);
  });

  it('once: a task whose signal refused the listener is forgotten', async () => {
    const lines = await output((root) => {
      const { scheduler: own } = require(root);
      const listeners = [];
      let isBroken = true;
      const signal = {
        aborted: false,
        addEventListener(type, listener) {
          if (isBroken) throw new Error('broken');
          listeners.push(listener);
        },
      };
      process.on('unhandledRejection', (reason) => console.log('unhandled', reason));
      own.postTask(() => {}, { signal }).catch((error) => console.log(error.message));
      isBroken = false;
      const second = own.postTask(() => {}, { signal, delay: 60_000 });
      second.catch((reason) => console.log(reason));
      signal.aborted = true;
      signal.reason = 'mine';
      listeners.forEach((listener) => listener.call(signal, { type: 'abort' }));
    });
    assert.deepEqual(lines, ['broken', 'mine']);
  });
});
