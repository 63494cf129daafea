'use strict';

// wait(), pieces(), shouldYield() and onIdle() over the scheduler of a page.

const assert = require('node:assert/strict');
const { getEventListeners } = require('node:events');
const api = require('../..');
const { fakePage } = require('../helpers/fake-page.js');

const SLICE = 5;

describe('in a page', () => {
  let apiOf;
  let page;
  let wait;
  let shouldYield;
  let pieces;
  let onIdle;

  before(async () => ({ apiOf } = await import('../../lib/browser/page.mjs')));

  beforeEach(() => {
    page = fakePage();
    ({ wait, shouldYield, pieces, onIdle } = apiOf(page));
  });

  // Settles a promise while the tasks of the page run.
  async function settled(promise) {
    const outcome = promise.then((value) => ({ value }), (error) => ({ error }));
    await page.scheduler.runAll();
    return Promise.race([outcome, 'pending']);
  }

  // Posts work as a task and runs all tasks.
  const inTask = (work, options) => settled(page.scheduler.postTask(work, options));

  const posted = () => page.scheduler.posted.splice(0);

  describe('shouldYield()', () => {
    it('is false until the slice is used up, counted from the first call in a task', async () => {
      const answers = [];
      for (let task = 0; task < 2; task++) {
        await inTask(() => {
          page.time += 100;
          answers.push(shouldYield());
          page.time += SLICE - 0.1;
          answers.push(shouldYield());
          page.time += 0.1;
          answers.push(shouldYield(), shouldYield());
        });
      }
      assert.deepEqual(answers, [false, false, true, true, false, false, true, true]);
    });

    it('begins a slice in each task, also behind one that did not use its own', async () => {
      const answers = [];
      for (let task = 0; task < 5; task++) {
        await inTask(() => answers.push(shouldYield()));
        page.time += SLICE / 2;
      }
      assert.deepEqual(answers, Array(5).fill(false));
    });

    it('is true once in each slice for a loop that yields, at each priority', async () => {
      for (const priority of ['user-blocking', 'user-visible', 'background']) {
        let yields = 0;
        await inTask(async () => {
          for (let step = 0; step < 60; step++) {
            page.time += 1;
            if (shouldYield()) {
              yields++;
              await page.scheduler.yield();
            }
          }
        }, { priority });
        assert.equal(yields, 60 / (SLICE + 1), priority);
      }
    });

    it('counts the time of a task once, however many functions share it', async () => {
      const longest = [];
      let last = page.time;
      const work = async () => {
        for (let step = 0; step < 20; step++) {
          page.time += 1;
          if (!shouldYield()) continue;
          longest.push(page.time - last);
          await page.scheduler.yield();
          last = page.time;
        }
      };
      await inTask(() => Promise.all(Array.from({ length: 10 }, work)));
      // Each function does one step before it asks.
      assert.ok(Math.max(...longest) <= SLICE + 10, longest.join());
    });

    it('is true for an urgent task in the slice of another one only until it yields', async () => {
      const answers = [];
      page.scheduler.postTask(() => {
        shouldYield();
        page.time += SLICE;
        // Runs before the task that ends the slice.
        page.scheduler.postTask(async () => {
          await page.scheduler.yield();
          for (let call = 0; call < 3; call++) {
            answers.push(shouldYield());
            if (answers.at(-1)) await page.scheduler.yield();
          }
        }, { priority: 'user-blocking' });
      }, { priority: 'background' });
      await page.scheduler.runAll();
      assert.deepEqual(answers.slice(-2), [false, false]);
    });

    it('posts two tasks for a slice, however often it is called', async () => {
      await inTask(() => {
        for (let call = 0; call < 1_000; call++) {
          shouldYield();
          page.time += 1;
        }
      });
      assert.deepEqual(posted().slice(1), ['postTask user-blocking', 'yield']);
    });

    it('is true when input is pending, of which it asks once in a millisecond', async () => {
      page.isInputPending = true;
      let looks = 0;
      page.navigator.scheduling.isInputPending = () => {
        looks++;
        return page.isInputPending;
      };
      const answers = [];
      await inTask(() => {
        for (let call = 0; call < 4; call++) {
          answers.push(shouldYield());
          page.time += 0.5;
        }
      });
      assert.deepEqual(answers, [false, false, true, true]);
      assert.equal(looks, 1);
    });

    it('works without isInputPending()', async () => {
      for (const navigator of [undefined, {}, { scheduling: {} }]) {
        const own = fakePage({ navigator });
        const asked = apiOf(own);
        assert.equal(asked.shouldYield(), false);
        own.time += 2;
        assert.equal(asked.shouldYield(), false);
      }
    });

    it('causes no unhandled rejection where yield() is rejected', async () => {
      page.scheduler.yield = () => Promise.reject(new Error('aborted'));
      shouldYield();
      page.time += SLICE;
      assert.equal(shouldYield(), true);
      await new Promise(setImmediate);
    });
  });

  describe('wait()', () => {
    it('waits, and then yields, which inherits', async () => {
      assert.deepEqual(await settled(wait(7)), { value: undefined });
      assert.deepEqual(posted(), ['postTask user-blocking 7', 'yield']);
      const inherit = { priority: 'inherit', signal: 'inherit' };
      assert.deepEqual(await settled(wait('7.9', inherit)), { value: undefined });
      assert.deepEqual(posted(), ['postTask user-blocking 7', 'yield']);
    });

    it('is yield() without a delay', async () => {
      assert.deepEqual(await settled(wait(0)), { value: undefined });
      assert.deepEqual(posted(), ['yield']);
    });

    it('is a task with a priority or a signal', async () => {
      const { signal } = new AbortController();
      await settled(wait(1, { priority: 'background' }));
      await settled(wait(2, { signal }));
      await settled(wait(3, { signal, priority: 'inherit' }));
      assert.deepEqual(posted(), ['postTask background 1', 'postTask user-visible 2',
        'postTask user-blocking 3', 'yield']);
    });

    it('is rejected with the reason of its signal', async () => {
      for (const priority of [undefined, 'background', 'inherit']) {
        for (const delay of [0, 5]) {
          const controller = new AbortController();
          const waiting = wait(delay, { signal: controller.signal, priority });
          controller.abort('reason');
          assert.deepEqual(await settled(waiting), { error: 'reason' });
          const late = wait(delay, { signal: controller.signal, priority });
          assert.deepEqual(await settled(late), { error: 'reason' });
        }
      }
    });

    it('rejects bad input as in Node, and ignores unknown options', async () => {
      const signal = {};
      const cases = [[], [NaN], [-1], ['x'], [Infinity], [Symbol('x')], [5n], [1, 5], [1, 'x'],
        [1, { priority: 'high' }], [1, { priority: null }], [1, { signal }], [1, { signal: null }]];
      for (const args of cases) {
        const { error } = await settled(wait(...args));
        const expected = await api.scheduler.wait(...args).catch((reason) => reason);
        assert.equal(error.code, expected.code, String(error));
        assert.equal(error.name, 'TypeError');
        assert.match(error.message, /^Failed to execute 'wait': the \w+ \w+ must be /);
      }
      assert.deepEqual(await settled(wait(1, { unknown: 1 })), { value: undefined });
    });
  });

  describe('pieces()', () => {
    async function read(iterable, options, each = () => {}) {
      const items = [];
      for await (const item of pieces(iterable, options)) {
        items.push(item);
        await each(item);
      }
      return items;
    }

    async function* generate() {
      yield* [1, 2];
    }

    it('has the items of each kind of iterable', async () => {
      const sources = [[1, 2], new Set([1, 2]), generate(), [Promise.resolve(1), 2]];
      for (const source of sources) {
        assert.deepEqual(await settled(read(source)), { value: [1, 2] });
      }
      assert.deepEqual(await settled(read('ab')), { value: ['a', 'b'] });
      assert.deepEqual(posted().filter((each) => each === 'yield'), []);
    });

    it('yields when a slice is used up, and at no other time', async () => {
      const items = Array.from({ length: 20 }, (_, number) => number);
      const work = () => read(items, undefined, () => {
        page.time += 1;
      });
      assert.deepEqual(await inTask(work), { value: items });
      // Two continuations in each slice: one ends the slice, in one the loop goes on.
      assert.equal(posted().filter((each) => each === 'yield').length, 2 * 3);
    });

    it('continues with the given priority, or with that of a TaskSignal', async () => {
      const controller = new AbortController();
      Object.defineProperty(controller.signal, 'priority', { value: 'background' });
      const { signal } = controller;
      const plain = new AbortController().signal;
      const cases = [
        [{ priority: 'user-blocking' }, 'postTask user-blocking'],
        [{ signal }, 'postTask background'],
        [{ signal, priority: 'user-visible' }, 'postTask user-visible'],
        [{ signal, priority: 'inherit' }, 'yield'],
        [{ signal: plain }, 'yield'],
        [{ priority: 'inherit' }, 'yield'],
      ];
      for (const [options, expected] of cases) {
        await inTask(() => read([1, 2], options, () => {
          page.time += SLICE + 1;
          // The slice begins with the first item.
          shouldYield();
          page.time += SLICE;
        }));
        assert.equal(posted().at(-1), expected);
      }
    });

    it('ends with the reason of its signal, and closes the source', async () => {
      for (const isAsync of [false, true]) {
        let closed = 0;
        const source = {
          [isAsync ? Symbol.asyncIterator : Symbol.iterator]() {
            const next = () => ({ value: 1, done: false });
            return { next, return: () => ({ value: closed++ }) };
          },
        };
        const controller = new AbortController();
        const reading = read(source, { signal: controller.signal }, () => controller.abort('end'));
        assert.deepEqual(await settled(reading), { error: 'end' });
        assert.equal(closed, 1);
      }
    });

    it('does not open the source if its signal is aborted, or before next()', async () => {
      const source = { [Symbol.iterator]: () => assert.fail('opened') };
      pieces(source);
      const signal = AbortSignal.abort('before');
      assert.deepEqual(await settled(read(source, { signal })), { error: 'before' });
    });

    it('rejects all calls at an abort while an async source is silent, and closes it', async () => {
      const controller = new AbortController();
      const calls = [];
      const source = {
        [Symbol.asyncIterator]: () => ({
          next: () => new Promise(() => calls.push('next')),
          return: () => new Promise(() => calls.push('return')),
        }),
      };
      const iterator = pieces(source, { signal: controller.signal });
      const waiting = [iterator.next(), iterator.next()];
      await new Promise(setImmediate);
      controller.abort('left');
      for (const call of [...waiting, iterator.next()]) {
        assert.deepEqual(await settled(call), { error: 'left' });
      }
      assert.deepEqual(await iterator.return(7), { value: 7, done: true });
      assert.deepEqual(calls, ['next', 'return']);
      assert.equal(getEventListeners(controller.signal, 'abort').length, 0);
    });

    it('rejects all calls at an abort while one of them yields', async () => {
      const controller = new AbortController();
      const iterator = pieces([1, 2, 3], { signal: controller.signal });
      const { value: calls } = await inTask(async () => {
        await iterator.next();
        shouldYield();
        page.time += SLICE;
        const waiting = [iterator.next(), iterator.next()];
        controller.abort('left');
        return Promise.allSettled(waiting);
      });
      assert.deepEqual(calls.map(({ reason }) => reason), ['left', 'left']);
    });

    it('answers overlapping calls one after the other', async () => {
      const iterator = pieces(generate());
      const calls = [iterator.next(), iterator.next(), iterator.return('mine'), iterator.next()];
      assert.deepEqual(await settled(Promise.all(calls)), { value: [
        { value: 1, done: false },
        { value: 2, done: false },
        { value: 'mine', done: true },
        { value: undefined, done: true },
      ] });
    });

    it('closes the source when the loop is left', async () => {
      let closed = 0;
      function* source() {
        try {
          yield* [1, 2, 3];
        } finally {
          closed++;
        }
      }
      for await (const item of pieces(source())) if (item === 2) break;
      await assert.rejects(read(source(), undefined, () => assert.fail('thrown')), /thrown/);
      assert.equal(closed, 2);
    });

    it('refuses a result that is no object, as in Node', async () => {
      const source = { [Symbol.iterator]: () => ({ next: () => 7 }) };
      const { message } = await pieces(source).next().catch((error) => error);
      await assert.rejects(api.pieces(source).next(), { message });
    });

    it('throws the same errors as in Node', () => {
      const cases = [[], [null], [5], [{}], [Symbol('x')], [[], 5], [[], 'x'], [[], { signal: 5 }],
        [[], { signal: {} }], [[], { priority: 'high' }], [[], { priority: null }],
        [[], { prioritty: 'background' }], [[], { other: 1 }]];
      for (const args of cases) {
        const error = errorOf(() => pieces(...args));
        const { name, code, message } = errorOf(() => api.pieces(...args));
        assert.deepEqual([error.name, error.code, error.message], [name, code, message]);
      }
    });
  });

  function errorOf(work) {
    try {
      work();
    } catch (error) {
      return error;
    }
    return assert.fail('nothing was thrown');
  }

  describe('onIdle()', () => {
    const runIdle = () => {
      for (const callback of page.idleCallbacks.values()) callback();
    };

    it('is fulfilled in an idle period, once background tasks have run', async () => {
      const order = [];
      page.scheduler.postTask(() => order.push('background'), { priority: 'background' });
      const idle = onIdle().then(() => order.push('idle'));
      page.scheduler.postTask(() => order.push('visible'));
      assert.deepEqual(await settled(idle), 'pending');
      assert.deepEqual(order, ['visible', 'background']);
      runIdle();
      await idle;
      assert.deepEqual(order, ['visible', 'background', 'idle']);
    });

    it('is fulfilled as a background task where the browser has no idle callbacks', async () => {
      const asked = apiOf((page = fakePage({ requestIdleCallback: undefined })));
      assert.deepEqual(await settled(asked.onIdle()), { value: undefined });
      assert.deepEqual(posted(), ['postTask background']);
    });

    it('is rejected with the reason of its signal at any time', async () => {
      assert.deepEqual(await settled(onIdle({ signal: AbortSignal.abort(1) })), { error: 1 });
      const queued = new AbortController();
      const first = onIdle({ signal: queued.signal });
      queued.abort(2);
      assert.deepEqual(await settled(first), { error: 2 });
      const waiting = new AbortController();
      const second = onIdle({ signal: waiting.signal });
      assert.equal(await settled(second), 'pending');
      waiting.abort(3);
      assert.deepEqual(await settled(second), { error: 3 });
      assert.equal(page.idleCallbacks.size, 0);
    });

    it('leaves no listener on its signal', async () => {
      const { signal } = new AbortController();
      let listeners = 0;
      for (const [name, step] of Object.entries({ addEventListener: 1, removeEventListener: -1 })) {
        const original = signal[name];
        signal[name] = function (...args) {
          listeners += step;
          return original.apply(this, args);
        };
      }
      page.scheduler.postTask = async () => {};
      const idle = onIdle({ signal });
      await new Promise(setImmediate);
      assert.equal(listeners, 1);
      runIdle();
      await idle;
      assert.equal(listeners, 0);
    });

    it('is rejected for bad input with the same errors as in Node', async () => {
      for (const options of [5, { signal: 5 }, { signal: {} }, { signal: null }, { sgnal: 1 }]) {
        const { error } = await settled(onIdle(options));
        const expected = await api.onIdle(options).catch((reason) => reason);
        assert.equal(error.message, expected.message);
        assert.equal(error.code, expected.code);
      }
    });
  });
});
