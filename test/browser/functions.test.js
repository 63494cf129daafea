'use strict';

// wait(), pieces(), shouldYield() and onIdle() over the scheduler of a page. Programs find the same
// in a page as in Node, where test/tasks/ has their tests.

const assert = require('node:assert/strict');
const { getEventListeners } = require('node:events');
const api = require('../..');
const { fakePage } = require('../helpers/fake-page.js');

const SLICE = 5;

const outcomeOf = (promise) => promise.then((value) => ({ value }), (error) => ({ error }));

// The error of a call or of the promise that it returns.
async function refusalOf(call) {
  try {
    await call();
  } catch ({ name, code, message }) {
    return { name, code, message };
  }
  return assert.fail('it was not refused');
}

// Reads until `each(item)` resolves to 'break'.
async function read(pieces, source, options, each = () => {}) {
  const items = [];
  for await (const item of pieces(source, options)) {
    items.push(item);
    if (await each(item) === 'break') break;
  }
  return items;
}

async function* generate() {
  yield* [1, 2];
}

// A source that logs its calls, and answers with `next`.
const logging = (log, kind, next) => ({
  [kind]() {
    log.push('opened');
    return { next, return: () => (log.push('closed'), {}) };
  },
});

// Programs with pieces(), by what they show.
const PROGRAMS = {
  async 'has the items of each kind of iterable'(pieces) {
    const found = [];
    for (const source of [[1, 2], new Set([1, 2]), generate(), [Promise.resolve(1), 2], 'ab']) {
      found.push(await read(pieces, source));
    }
    return found;
  },

  async 'opens its source at next(), unless aborted, and closes it however the loop ends'(pieces) {
    const log = [];
    for (const kind of [Symbol.iterator, Symbol.asyncIterator]) {
      const controller = new AbortController();
      const { signal } = controller;
      const source = logging(log, kind, () => ({ value: 1, done: false }));
      pieces(source);
      const ends = [() => 'break', () => Promise.reject('thrown'), () => controller.abort('end')];
      for (const end of [...ends, assert.fail]) {
        log.push(await outcomeOf(read(pieces, source, { signal }, end)));
      }
    }
    return log;
  },

  async 'rejects all calls at an abort while an async source is silent, and closes it'(pieces) {
    const log = [];
    const controller = new AbortController();
    const { signal } = controller;
    const source = logging(log, Symbol.asyncIterator, () => new Promise(() => log.push('next')));
    const iterator = pieces(source, { signal });
    const waiting = [iterator.next(), iterator.next()];
    await new Promise(setImmediate);
    controller.abort('left');
    for (const call of [...waiting, iterator.next()]) log.push(await outcomeOf(call));
    return [...log, await iterator.return(7), getEventListeners(signal, 'abort').length];
  },

  async 'answers overlapping calls one after the other'(pieces) {
    const iterator = pieces(generate());
    const calls = [iterator.next(), iterator.next(), iterator.return('mine'), iterator.next()];
    return Promise.all(calls);
  },

  'refuses a result that is no object': (pieces) =>
    refusalOf(() => pieces(logging([], Symbol.iterator, () => 7)).next()),
};

// Arguments that are refused.
const NO_OPTIONS = [5, { signal: 5 }, { signal: {} }, { signal: null }];
const NO_PRIORITIES = [{ priority: 'high' }, { priority: null }];
const REFUSED = {
  wait: [[], [NaN], [-1], ['x'], [Infinity], [Symbol('x')], [5n],
    ...[...NO_OPTIONS, ...NO_PRIORITIES, 'x'].map((options) => [1, options])],
  pieces: [[], [null], [5], [{}], [Symbol('x')],
    ...[...NO_OPTIONS, ...NO_PRIORITIES, 'x', { prioritty: 'background' }, { other: 1 }]
      .map((options) => [[], options])],
  onIdle: [...NO_OPTIONS, { sgnal: 1 }].map((options) => [options]),
};

describe('in a page', () => {
  let apiOf;
  let page;
  let wait;
  let shouldYield;
  let pieces;
  let onIdle;

  before(async () => ({ apiOf } = await import('../../lib/browser/page.mjs')));

  // Opens a page that lacks some of what pages have.
  function open(changes) {
    page = fakePage(changes);
    ({ wait, shouldYield, pieces, onIdle } = apiOf(page));
  }

  beforeEach(() => open());

  // The outcome of a promise when no task of the page is left.
  async function settled(promise) {
    const outcome = outcomeOf(promise);
    // More turns than code takes that waits for no task.
    for (let turn = 0; turn < 10; turn++) {
      await new Promise(setImmediate);
      await api.onIdle();
    }
    return Promise.race([outcome, 'pending']);
  }

  // The outcome of work in a task.
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

    // The lengths of the slices of 60 ms of work by functions that share a task.
    async function slicesOf(count, priority) {
      const slices = [];
      let last = page.time;
      const work = async () => {
        for (let step = 0; step < 60 / count; step++) {
          page.time += 1;
          if (!shouldYield()) continue;
          slices.push(page.time - last);
          await page.scheduler.yield();
          last = page.time;
        }
      };
      await inTask(() => Promise.all(Array.from({ length: count }, work)), { priority });
      return slices;
    }

    it('is true once in each slice for a loop that yields, at each priority', async () => {
      for (const priority of ['user-blocking', 'user-visible', 'background']) {
        assert.deepEqual(await slicesOf(1, priority), Array(10).fill(SLICE + 1), priority);
      }
    });

    it('counts the time of a task once, however many functions share it', async () => {
      // Each function does one step before it asks.
      assert.equal(Math.max(...await slicesOf(10)), SLICE + 10);
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
      await api.onIdle();
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

    it('is true when input is pending, which it looks for once in a millisecond', async () => {
      let looks = 0;
      page.navigator.scheduling.isInputPending = () => {
        looks++;
        return true;
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
      for (const navigator of [undefined, {}, { scheduling: {} }]) {
        open({ navigator });
        shouldYield();
        page.time += 2;
        assert.equal(shouldYield(), false);
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
    const { signal } = new AbortController();
    for (const [title, ...calls] of [
      ['waits, and then yields, which inherits',
        [[7], 'postTask user-blocking 7', 'yield'],
        [['7.9', { priority: 'inherit', signal: 'inherit' }], 'postTask user-blocking 7', 'yield'],
        [[3, { signal, priority: 'inherit' }], 'postTask user-blocking 3', 'yield']],
      ['is yield() without a delay', [[0], 'yield']],
      ['is a task with a priority or a signal',
        [[1, { priority: 'background' }], 'postTask background 1'],
        [[2, { signal }], 'postTask user-visible 2']],
      ['ignores unknown options', [[1, { unknown: 1 }], 'postTask user-blocking 1', 'yield']],
    ]) {
      it(title, async () => {
        for (const [args, ...expected] of calls) {
          assert.deepEqual(await settled(wait(...args)), { value: undefined });
          assert.deepEqual(posted(), expected);
        }
      });
    }

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
  });

  describe('pieces()', () => {
    for (const [title, program] of Object.entries(PROGRAMS)) {
      it(`${title}, as in Node`, async () => {
        const expected = await program(api.pieces);
        assert.deepEqual(await settled(program(pieces)), { value: expected });
      });
    }

    it('yields when a slice is used up, and at no other time', async () => {
      const items = Array.from({ length: 20 }, (_, number) => number);
      const work = () => read(pieces, items, undefined, () => {
        page.time += 1;
      });
      assert.deepEqual(await inTask(work), { value: items });
      // Two continuations in each slice: one ends the slice, in one the loop goes on.
      assert.equal(posted().filter((each) => each === 'yield').length, 2 * 3);
    });

    it('continues with the given priority, or with that of a TaskSignal', async () => {
      const { signal: plain } = new AbortController();
      const { signal } = new AbortController();
      Object.defineProperty(signal, 'priority', { value: 'background' });
      for (const [options, expected] of [
        [{ priority: 'user-blocking' }, 'postTask user-blocking'],
        [{ signal }, 'postTask background'],
        [{ signal, priority: 'user-visible' }, 'postTask user-visible'],
        [{ signal, priority: 'inherit' }, 'yield'],
        [{ signal: plain }, 'yield'],
        [{ priority: 'inherit' }, 'yield'],
      ]) {
        await inTask(() => read(pieces, [1, 2], options, () => {
          page.time += SLICE + 1;
          // The slice begins with the first item.
          shouldYield();
          page.time += SLICE;
        }));
        assert.equal(posted().at(-1), expected);
      }
    });

    it('ends, and closes its source, where an abort of the task rejects yield()', async () => {
      page.scheduler.yield = () => Promise.reject(new Error('aborted'));
      const log = [];
      const source = logging(log, Symbol.iterator, () => ({ value: 1, done: false }));
      const { error } = await inTask(() => read(pieces, source, undefined, () => {
        page.time += SLICE;
      }));
      assert.deepEqual([error.message, log], ['aborted', ['opened', 'closed']]);
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
  });

  describe('onIdle()', () => {
    const runIdle = () => {
      for (const callback of page.idleCallbacks.values()) callback();
    };

    it('is fulfilled in an idle period, once background tasks have run', async () => {
      const order = [];
      page.scheduler.postTask(() => order.push('background'), { priority: 'background' });
      const { signal } = new AbortController();
      const idle = onIdle({ signal }).then(() => order.push('idle'));
      page.scheduler.postTask(() => order.push('visible'));
      assert.deepEqual(await settled(idle), 'pending');
      assert.deepEqual(order, ['visible', 'background']);
      runIdle();
      await idle;
      assert.deepEqual(order, ['visible', 'background', 'idle']);
      // The task of the page has a listener until then.
      await api.scheduler.postTask(() => {}, { priority: 'background' });
      assert.deepEqual(getEventListeners(signal, 'abort'), []);
    });

    it('is fulfilled as a background task where the browser has no idle callbacks', async () => {
      open({ requestIdleCallback: undefined });
      assert.deepEqual(await settled(onIdle()), { value: undefined });
      assert.deepEqual(posted(), ['postTask background']);
    });

    it('is rejected with the reason of its signal at any time', async () => {
      assert.deepEqual(await settled(onIdle({ signal: AbortSignal.abort(1) })), { error: 1 });
      const [queued, waiting] = [new AbortController(), new AbortController()];
      const first = onIdle({ signal: queued.signal });
      queued.abort(2);
      assert.deepEqual(await settled(first), { error: 2 });
      const second = onIdle({ signal: waiting.signal });
      assert.equal(await settled(second), 'pending');
      waiting.abort(3);
      assert.deepEqual(await settled(second), { error: 3 });
      assert.equal(page.idleCallbacks.size, 0);
    });
  });

  for (const [name, calls] of Object.entries(REFUSED)) {
    it(`${name}() refuses bad arguments as in Node`, async () => {
      const own = apiOf(page)[name];
      for (const args of calls) {
        const expected = await refusalOf(() => (api[name] ?? api.scheduler[name])(...args));
        const refusal = await refusalOf(() => own(...args));
        // In Node, it is a member of the scheduler, and its messages say more.
        if (name === 'wait') refusal.message = expected.message;
        assert.deepEqual(refusal, expected);
      }
    });
  }
});
