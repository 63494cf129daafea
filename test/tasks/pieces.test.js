'use strict';

// pieces(): which items it gives, where it yields, how it ends, and what becomes of its source.
// pieces-for-await.test.js compares the reading of a source with `for await`.

const assert = require('node:assert/strict');
const { getEventListeners } = require('node:events');
const { Readable } = require('node:stream');
const fc = require('fast-check');
const { TaskController, createScheduler, pieces, scheduler } = require('../..');
const { busy, output, settled, until } = require('../helpers/tasks.js');

const REASON = new Error('nobody reads on');
const FAILED = new Error('next() failed');
const LOST = new Error('return() failed');
const THROWN = new Error('thrown by the reader');

// A source that notes what is done to it. `asynchronous`: its methods return promises.
function noting(length, { asynchronous = false, failsAt, returns = () => ({}) } = {}) {
  const calls = [];
  let item = 0;
  const result = (get) => (asynchronous ? new Promise((resolve) => resolve(get())) : get());
  const take = () => {
    if (item === failsAt) throw FAILED;
    return item < length ? { value: item++, done: false } : { value: 'end', done: true };
  };
  const iterator = {
    next() {
      calls.push('next');
      return result(take);
    },
    return() {
      calls.push('return');
      return result(returns);
    },
  };
  const key = asynchronous ? Symbol.asyncIterator : Symbol.iterator;
  return { calls, [key]: () => (calls.push('open'), iterator) };
}

const fail = () => { throw LOST; };

// A noting source with an iterator of pieces() that can be aborted.
function abortable(...given) {
  const source = noting(...given);
  const controller = new AbortController();
  const iterator = pieces(source, { signal: controller.signal });
  return { source, iterator, abort: () => controller.abort(REASON) };
}

// Asserts that promises are rejected with the reason itself.
async function assertAborted(promises) {
  for (const result of await Promise.all(promises.map(settled))) {
    assert.equal(result[0], 'rejected');
    assert.equal(result[1], REASON);
  }
}

const KINDS = { 'a sync source': false, 'an async source': true };

// Calls of an iterator's methods in groups: those of a group are called at once. The signal is
// aborted before one of them.
const programs = fc.record({
  asynchronous: fc.boolean(),
  length: fc.nat(6),
  failsAt: fc.option(fc.nat(6), { nil: undefined }),
  closes: fc.boolean(),
  groups: fc.array(fc.array(
    fc.oneof(
      { weight: 5, arbitrary: fc.constant('next') },
      { weight: 1, arbitrary: fc.constantFrom('return', 'throw') },
    ),
    { maxLength: 4 },
  ), { maxLength: 8 }),
  abortedAt: fc.nat(10),
});

// The results of the calls, answered one after the other, and the calls of the source.
class Model {
  calls = [];
  isAborted = false;
  #isDone = false;
  #hasRejected = false;
  #item = 0;

  constructor({ length, failsAt, closes }) {
    Object.assign(this, { length, failsAt, closes });
  }

  next() {
    if (this.isAborted && !this.#isDone) {
      this.#close();
      this.#hasRejected = true;
    }
    if (this.#hasRejected) return ['rejected', REASON];
    if (this.#isDone) return ['fulfilled', { value: undefined, done: true }];
    if (this.calls.length === 0) this.calls.push('open');
    this.calls.push('next');
    const item = this.#item++;
    this.#isDone = item === this.failsAt || item >= this.length;
    if (item === this.failsAt) return ['rejected', FAILED];
    return ['fulfilled', { value: this.#isDone ? 'end' : item, done: this.#isDone }];
  }

  return(value) {
    const isClosed = this.#close();
    return isClosed ? ['fulfilled', { value, done: true }] : ['rejected', LOST];
  }

  throw(error) {
    this.#close();
    return ['rejected', error];
  }

  // Returns false if it has failed.
  #close() {
    const closesSource = !this.#isDone && this.calls.length > 0;
    this.#isDone = true;
    if (closesSource) this.calls.push('return');
    return this.closes || !closesSource;
  }
}

async function assertAsModel({ groups, abortedAt, ...program }) {
  const { length, closes, ...given } = program;
  const returns = closes ? undefined : fail;
  const { source, iterator, abort } = abortable(length, { ...given, returns });
  const model = new Model(program);
  for (const [index, group] of groups.entries()) {
    if (index === abortedAt) {
      model.isAborted = true;
      abort();
    }
    const results = group.map((name) => settled(iterator[name](THROWN)));
    const expected = group.map((name) => model[name](THROWN));
    assert.deepEqual(await Promise.all(results), expected);
  }
  assert.deepEqual(source.calls, model.calls);
}

// The first items that code in a task of `other` reads, with a task of that priority posted after
// each. `make` is called in a task with these options.
async function itemsBetween(make, options, other, count, by = scheduler) {
  const order = [];
  await by.postTask(async () => {
    for await (const item of make()) {
      order.push(item);
      scheduler.postTask(() => order.push(other), { priority: other });
    }
  }, options);
  return order.slice(0, count);
}

describe('pieces()', () => {
  it('gives the items of strings and streams, and prefers an async iterator', async () => {
    const both = noting(1, { asynchronous: true });
    both[Symbol.iterator] = () => assert.fail('the sync iterator was opened');
    for (const [source, items] of [
      ['añ𝄞', ['a', 'ñ', '𝄞']], [Readable.from(['x', 'y']), ['x', 'y']],
      [ReadableStream.from(['x', 'y']), ['x', 'y']], [both, [0]],
    ]) {
      const found = [];
      for await (const item of pieces(source)) found.push(item);
      assert.deepEqual(found, items);
    }
  });

  it('is an async iterator that returns itself, and can be disposed of', async () => {
    const source = noting(2);
    const iterator = pieces(source);
    assert.equal(iterator[Symbol.asyncIterator](), iterator);
    assert.deepEqual(await iterator.next(), { value: 0, done: false });
    await iterator[Symbol.asyncDispose]();
    assert.deepEqual(source.calls, ['open', 'next', 'return']);
    assert.deepEqual(await iterator.next(), { value: undefined, done: true });
  });

  it('answers calls in their order, closes its source once, and ends with one error', () =>
    fc.assert(fc.asyncProperty(programs, assertAsModel), { numRuns: 500 }));

  const URGENT = { priority: 'user-blocking' };
  const BACKGROUND = { priority: 'background' };
  const controller = new TaskController(URGENT);
  // By where it yields: the pieces, the options of the task that reads them, the priority of the
  // other tasks, and what runs first.
  for (const [name, make, options, other, expected, by] of [
    ['not to what would run later', () => pieces([0, 1, 2]), URGENT, 'background', [0, 1, 2]],
    ['with the priority that it is given', () => pieces([0, 1], BACKGROUND), URGENT,
      'user-visible', [0, 'user-visible', 1]],
    ['with the priority of the call, in whatever task it is read', async function* make() {
      const posted = scheduler.postTask(() => ({ items: pieces([0, 1]) }), BACKGROUND);
      yield* (await posted).items;
    }, URGENT, 'user-visible', [0, 'user-visible', 1]],
    ['by the scheduler that began the chain', () => pieces([0, 1]),
      { signal: new TaskController(BACKGROUND).signal }, 'user-visible', [0, 'user-visible', 1],
      createScheduler()],
    ['with a priority that changes', async function* make() {
      for await (const item of pieces([0, 1, 2])) {
        yield item;
        if (item === 1) controller.setPriority('background');
      }
    }, { signal: controller.signal }, 'user-visible', [0, 1, 'user-visible', 'user-visible']],
  ]) {
    it(`yields between two items ${name}`, async () => {
      const order = await itemsBetween(make, options, other, expected.length, by);
      assert.deepEqual(order, expected);
    });
  }

  for (const [kind, asynchronous] of Object.entries(KINDS)) {
    describe(`with ${kind}`, () => {
      it('throws the reason of an abort while it waits for its turn', async () => {
        const { source, iterator, abort } = abortable(5, { asynchronous });
        const posted = scheduler.postTask(async () => {
          for await (const item of iterator) {
            if (item === 1) scheduler.postTask(abort, { priority: 'user-blocking' });
          }
        });
        await assertAborted([posted]);
        assert.deepEqual(source.calls, ['open', 'next', 'next', 'return']);
      });

      it('gives way between items that are asked for at once', async () => {
        const source = noting(20, { asynchronous });
        await scheduler.postTask(async () => {
          const iterator = pieces(source);
          let seen = 0;
          // Each item is used some reactions after it was given, as frameworks do.
          const used = Array.from({ length: 20 }, async () => {
            const { value } = await iterator.next();
            await Promise.resolve().then().then();
            busy(3);
            seen++;
            return value;
          });
          const before = await scheduler.postTask(() => seen, { priority: 'user-blocking' });
          assert.deepEqual(await Promise.all(used), [...Array(20).keys()]);
          assert.ok(before < 20, `${before} items before it`);
        });
      });

      it('gives way between calls that an abort rejects', async () => {
        const returns = () => new Promise(() => {});
        const { source, iterator, abort } = abortable(20, { asynchronous, returns });
        let rejected = 0;
        // Frameworks make an error of each part that is missing.
        const calls = Array.from({ length: 20 }, () => iterator.next().catch((error) => {
          assert.equal(error, REASON);
          busy(3);
          rejected++;
        }));
        await calls[0];
        abort();
        const seen = await new Promise((resolve) => setImmediate(() => resolve(rejected)));
        await Promise.all(calls);
        assert.ok(seen < 10 && rejected >= 19, `${seen} of ${rejected} calls before it`);
        await assertAborted([iterator.next()]);
        assert.deepEqual([...new Set(source.calls)], ['open', 'next', 'return']);
      });

      it('refuses a result that is no object', async () => {
        const key = asynchronous ? Symbol.asyncIterator : Symbol.iterator;
        const source = { [key]: () => ({ next: () => 7 }) };
        await assert.rejects(pieces(source).next(), {
          name: 'TypeError',
          code: 'ERR_INVALID_ARG_TYPE',
          message: "Failed to execute 'pieces': the result of next() of the source must be " +
            'an object, but received 7.',
        });
      });
    });
  }

  // The ways in which a source can keep a call waiting.
  const SILENT = {
    'an async source': (wait) => ({ [Symbol.asyncIterator]: () => ({ next: wait }) }),
    'a promise of a sync source': (wait) => [wait()],
    'the last promise of a sync source': (wait) => (
      { [Symbol.iterator]: () => ({ next: () => ({ done: true, value: wait() }) }) }
    ),
  };
  for (const [name, make] of Object.entries(SILENT)) {
    it(`rejects all waiting calls at an abort, while ${name} is silent`, async () => {
      for (const settle of ['resolve', 'reject']) {
        let late;
        const source = make(() => new Promise((resolve, reject) => (late = { resolve, reject })));
        const controller = new AbortController();
        const iterator = pieces(source, { signal: controller.signal });
        const calls = [iterator.next(), iterator.next(), iterator.next()];
        await new Promise(setImmediate);
        controller.abort(REASON);
        await assertAborted(calls);
        late[settle]({ value: 'late', done: false });
        await assertAborted([iterator.next()]);
      }
    });
  }

  it('closes a silent source at an abort, and waits for nothing', async () => {
    const calls = [];
    const source = {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise(() => {}),
        return() {
          calls.push('return');
          return Promise.reject(new Error('lost'));
        },
      }),
    };
    const controller = new AbortController();
    const iterator = pieces(source, { signal: controller.signal });
    const pending = iterator.next();
    const closed = iterator.return(7);
    controller.abort(REASON);
    assert.deepEqual(calls, ['return']);
    await assertAborted([pending]);
    assert.deepEqual(await closed, { value: 7, done: true });
    assert.deepEqual(calls, ['return']);
  });

  it('listens to its signal only while a call waits for the source', async () => {
    const { signal } = new AbortController();
    const give = [];
    const source = {
      [Symbol.asyncIterator]: () => ({ next: () => new Promise((resolve) => give.push(resolve)) }),
    };
    const iterators = Array.from({ length: 20 }, () => pieces(source, { signal }));
    const count = () => getEventListeners(signal, 'abort').length;
    for (let round = 0; round < 3; round++) {
      // The listener is removed at the end of a later check phase.
      await until(() => count() === 0);
      const calls = iterators.map((iterator) => iterator.next());
      // Some may yield before.
      await until(() => give.length === iterators.length);
      assert.equal(count(), 1);
      for (const resolve of give.splice(0)) resolve({ value: round, done: false });
      for (const { value } of await Promise.all(calls)) assert.equal(value, round);
    }
  });

  it('rejects all calls when drain() has given up one of them', async () => {
    const lines = await output((root) => {
      const { drain, pieces: ofItems, scheduler: own } = require(root);
      own.postTask(async () => {
        const iterator = ofItems([1, 2, 3]);
        const calls = [iterator.next(), iterator.next(), iterator.next()];
        await calls[0];
        drain({ timeout: 0 });
        const all = await Promise.allSettled(calls);
        console.log(all.map(({ value, reason }) => reason?.name ?? value.value).join());
      }, { priority: 'background' });
    });
    assert.deepEqual(lines, ['1,TimeoutError,TimeoutError']);
  });

  it("with the priority 'inherit' alone goes on in a finally that must end", async () => {
    for (const [priority, isOvertaken] of [['background', true], ['user-blocking', false]]) {
      const controller = new TaskController({ priority });
      const order = [];
      const released = scheduler.postTask(async () => {
        try {
          controller.abort(REASON);
          await scheduler.yield();
        } finally {
          for await (const item of pieces([0, 1], { priority: 'inherit' })) {
            order.push(item);
            scheduler.postTask(() => order.push('other'));
          }
        }
      }, { signal: controller.signal });
      await assertAborted([released]);
      while (order.length < 4) await new Promise((resolve) => setTimeout(resolve, 1));
      assert.deepEqual(order, isOvertaken ? [0, 'other', 1, 'other'] : [0, 1, 'other', 'other']);
    }
  });

  it('inherits the signal, also beside a given priority, and the other way round', async () => {
    const controller = new TaskController(BACKGROUND);
    const items = await scheduler.postTask(() => [
      pieces(noting(9), { priority: 'user-visible' }),
      pieces([0, 1], { signal: new AbortController().signal }),
      pieces(noting(9)),
    ], { signal: controller.signal });
    const order = [];
    await scheduler.postTask(async () => {
      for await (const item of items[1]) {
        order.push(item);
        scheduler.postTask(() => order.push('other'));
      }
    });
    assert.deepEqual(order.slice(0, 3), [0, 'other', 1]);
    controller.abort(REASON);
    await assertAborted([items[0].next(), items[2].next()]);
  });

  it('closes a sync source that gives what cannot be awaited', async () => {
    for (const make of [() => Promise.reject(REASON), () => ({ get then() { throw REASON; } })]) {
      let isClosed = false;
      const iterator = pieces((function* source() {
        try {
          yield make();
        } finally {
          isClosed = true;
        }
      })());
      await assertAborted([iterator.next()]);
      assert.equal(isClosed, true);
      assert.deepEqual(await iterator.next(), { value: undefined, done: true });
    }
  });
});
