'use strict';

// pieces(): which items it gives, where it yields, how it ends, and what becomes of its source.

const assert = require('node:assert/strict');
const { getEventListeners, once } = require('node:events');
const { Readable, Writable } = require('node:stream');
const { pipeline } = require('node:stream/promises');
const { TaskController, createScheduler, pieces, scheduler } = require('../..');
const { PRIORITIES, output } = require('../helpers/tasks.js');

function spin(ms) {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

const REASON = new Error('nobody reads on');

async function collect(iterable) {
  const items = [];
  for await (const item of iterable) items.push(item);
  return items;
}

// A source that notes what is done to it. `asynchronous`: its methods return promises.
function noting(length, { asynchronous = false, returns = {} } = {}) {
  const calls = [];
  let item = 0;
  const result = (value) => (asynchronous ? Promise.resolve(value) : value);
  const iterator = {
    next() {
      calls.push('next');
      return result(item < length ? { value: item++, done: false } : { value: 'end', done: true });
    },
    return() {
      calls.push('return');
      return result(returns);
    },
  };
  const key = asynchronous ? Symbol.asyncIterator : Symbol.iterator;
  return { calls, [key]: () => iterator };
}

// Runs `body` in a task, with a task of a higher priority queued after each item.
async function itemsBetween(priority, other, options, count) {
  const order = [];
  await scheduler.postTask(async () => {
    for await (const item of pieces(Array.from({ length: count }, (_, i) => i), options)) {
      order.push(item);
      scheduler.postTask(() => order.push(other), { priority: other });
    }
  }, { priority });
  return order;
}

const KINDS = { 'a sync source': false, 'an async source': true };

describe('pieces()', () => {
  it('gives the items of every kind of iterable, in their order', async () => {
    async function* generator() {
      yield* [1, 2];
    }
    assert.deepEqual(await collect(pieces([1, 2, 3])), [1, 2, 3]);
    assert.deepEqual(await collect(pieces(new Set(['a', 'b']))), ['a', 'b']);
    assert.deepEqual(await collect(pieces('añ𝄞')), ['a', 'ñ', '𝄞']);
    assert.deepEqual(await collect(pieces(new Map([[1, 2]]))), [[1, 2]]);
    assert.deepEqual(await collect(pieces(generator())), [1, 2]);
    assert.deepEqual(await collect(pieces(Readable.from(['x', 'y']))), ['x', 'y']);
    assert.deepEqual(await collect(pieces(ReadableStream.from(['x', 'y']))), ['x', 'y']);
    assert.deepEqual(await collect(pieces([])), []);
  });

  it('gives undefined, null and falsy items like any other', async () => {
    const items = [undefined, null, 0, '', false, NaN];
    assert.deepEqual(await collect(pieces(items)), items);
  });

  it('gives the same objects', async () => {
    const item = { then: 'no function' };
    const [given] = await collect(pieces([item]));
    assert.equal(given, item);
  });

  it('prefers the async iterator of a source that has both', async () => {
    const source = noting(1, { asynchronous: true });
    source[Symbol.iterator] = () => assert.fail('the sync iterator was opened');
    assert.deepEqual(await collect(pieces(source)), [0]);
  });

  it('gives the values of promises in a sync source, as `for await` does', async () => {
    const late = new Promise((resolve) => setImmediate(resolve, 2));
    assert.deepEqual(await collect(pieces([Promise.resolve(1), late, 3])), [1, 2, 3]);
  });

  it('closes a sync source whose promise is rejected', async () => {
    const closed = [];
    function* source() {
      try {
        yield Promise.reject(REASON);
      } finally {
        closed.push('closed');
      }
    }
    await assert.rejects(collect(pieces(source())), REASON);
    assert.deepEqual(closed, ['closed']);
  });

  it('is an async iterator that returns itself, and can be disposed of', async () => {
    const source = noting(2);
    const iterator = pieces(source);
    assert.equal(iterator[Symbol.asyncIterator](), iterator);
    assert.deepEqual(await iterator.next(), { value: 0, done: false });
    await iterator[Symbol.asyncDispose]();
    assert.deepEqual(source.calls, ['next', 'return']);
    assert.deepEqual(await iterator.next(), { value: undefined, done: true });
  });

  it('does not open its source before the first item is asked for', async () => {
    let opened = 0;
    const source = { [Symbol.iterator]: () => [opened++][Symbol.iterator]() };
    const iterator = pieces(source);
    assert.equal(opened, 0);
    await iterator.return();
    assert.equal(opened, 0);
    assert.deepEqual(await iterator.next(), { value: undefined, done: true });
  });

  it('takes an item only when the last one was taken', async () => {
    for (const asynchronous of Object.values(KINDS)) {
      const source = noting(3, { asynchronous });
      const iterator = pieces(source);
      await iterator.next();
      await new Promise(setImmediate);
      assert.deepEqual(source.calls, ['next']);
    }
  });

  it('yields between two items to what would run first', async () => {
    const expected = [0, 'user-blocking', 1, 'user-blocking', 2, 'user-blocking'];
    for (const priority of PRIORITIES.slice(1)) {
      const order = await itemsBetween(priority, 'user-blocking', undefined, 3);
      assert.deepEqual(order, expected);
    }
  });

  it('does not yield to what would run later', async () => {
    const [first, ...rest] = await itemsBetween('user-blocking', 'background', undefined, 3);
    assert.deepEqual([first, ...rest.slice(0, 2)], [0, 1, 2]);
  });

  it('yields with the priority that it is given', async () => {
    const options = { priority: 'background' };
    const order = await itemsBetween('user-blocking', 'user-visible', options, 2);
    assert.deepEqual(order.slice(0, 3), [0, 'user-visible', 1]);
  });

  it('keeps the priority of the call in whatever task it is read', async () => {
    const order = [];
    const iterator = await scheduler.postTask(
      () => ({ items: pieces([0, 1]) }),
      { priority: 'background' },
    );
    await scheduler.postTask(async () => {
      for await (const item of iterator.items) {
        order.push(item);
        scheduler.postTask(() => order.push('other'));
      }
    }, { priority: 'user-blocking' });
    assert.deepEqual(order.slice(0, 3), [0, 'other', 1]);
  });

  it('follows the changes of a priority', async () => {
    const controller = new TaskController({ priority: 'user-blocking' });
    const order = [];
    await scheduler.postTask(async () => {
      for await (const item of pieces([0, 1, 2])) {
        order.push(item);
        scheduler.postTask(() => order.push('other'));
        if (item === 1) controller.setPriority('background');
      }
    }, { signal: controller.signal });
    assert.deepEqual(order.slice(0, 4), [0, 1, 'other', 'other']);
  });

  it('yields by the scheduler that began the chain', async () => {
    const second = createScheduler();
    const controller = new TaskController({ priority: 'background' });
    const order = [];
    await second.postTask(async () => {
      for await (const item of pieces([0, 1])) {
        order.push(item);
        scheduler.postTask(() => order.push('other'));
      }
    }, { signal: controller.signal });
    assert.deepEqual(order.slice(0, 3), [0, 'other', 1]);
  });

  it('does not make the code around it lose its scheduling state', async () => {
    const controller = new TaskController();
    const posted = scheduler.postTask(async () => {
      for await (const item of pieces([0, 1, 2])) if (item === 1) controller.abort(REASON);
      return 'went on';
    }, { signal: controller.signal });
    await assert.rejects(posted, REASON);
  });

  for (const [kind, asynchronous] of Object.entries(KINDS)) {
    describe(`with ${kind}`, () => {
      it('closes it when the loop is left', async () => {
        const source = noting(5, { asynchronous });
        for await (const item of pieces(source)) if (item === 1) break;
        assert.deepEqual(source.calls, ['next', 'next', 'return']);
      });

      it('closes it when the loop throws, with the error of the loop', async () => {
        const source = noting(5, { asynchronous, returns: Promise.reject(new Error('lost')) });
        await assert.rejects(async () => {
          for await (const item of pieces(source)) throw new Error(`item ${item}`);
        }, /item 0/);
        assert.deepEqual(source.calls, ['next', 'return']);
      });

      it('does not close it when it has ended', async () => {
        const source = noting(1, { asynchronous });
        const iterator = pieces(source);
        await iterator.next();
        assert.deepEqual(await iterator.next(), { value: 'end', done: true });
        assert.deepEqual(await iterator.next(), { value: undefined, done: true });
        await iterator.return();
        assert.deepEqual(source.calls, ['next', 'next']);
      });

      it('ends with the error that it throws, and does not close it', async () => {
        const calls = [];
        const fail = () => {
          calls.push('next');
          throw REASON;
        };
        const source = {
          [asynchronous ? Symbol.asyncIterator : Symbol.iterator]: () => ({
            next: asynchronous ? async () => fail() : fail,
            return: () => calls.push('return'),
          }),
        };
        const iterator = pieces(source);
        await assert.rejects(iterator.next(), REASON);
        assert.deepEqual(await iterator.next(), { value: undefined, done: true });
        assert.deepEqual(calls, ['next']);
      });

      it('throws the reason of an abort at every further call, and closes it', async () => {
        const source = noting(5, { asynchronous });
        const controller = new AbortController();
        const iterator = pieces(source, { signal: controller.signal });
        await iterator.next();
        controller.abort(REASON);
        for (let call = 0; call < 3; call++) {
          await assert.rejects(iterator.next(), (error) => error === REASON);
        }
        assert.deepEqual(source.calls, ['next', 'return']);
        assert.deepEqual(await iterator.return(7), { value: 7, done: true });
      });

      it('throws the reason also if closing it fails, or never ends', async () => {
        const never = new Promise(() => {});
        for (const returns of [Promise.reject(new Error('lost')), never]) {
          const source = noting(5, { asynchronous, returns });
          const controller = new AbortController();
          const iterator = pieces(source, { signal: controller.signal });
          await iterator.next();
          controller.abort(REASON);
          await assert.rejects(iterator.next(), (error) => error === REASON);
        }
      });

      it('rejects all overlapping calls with the reason of an abort', async () => {
        const source = noting(5, { asynchronous });
        const controller = new AbortController();
        const iterator = pieces(source, { signal: controller.signal });
        const calls = Array.from({ length: 4 }, () => iterator.next());
        await calls[0];
        controller.abort(REASON);
        const settled = await Promise.allSettled([...calls.slice(1), iterator.next()]);
        for (const { reason } of settled) assert.equal(reason, REASON);
        assert.deepEqual(source.calls, ['next', 'return']);
      });

      it('stays ended if it is aborted after its end', async () => {
        const controller = new AbortController();
        const iterator = pieces(noting(0, { asynchronous }), { signal: controller.signal });
        await iterator.next();
        controller.abort(REASON);
        assert.deepEqual(await iterator.next(), { value: undefined, done: true });
      });

      it('is not opened if it was aborted before the first item', async () => {
        const source = noting(5, { asynchronous });
        const iterator = pieces(source, { signal: AbortSignal.abort(REASON) });
        await assert.rejects(iterator.next(), (error) => error === REASON);
        assert.deepEqual(source.calls, []);
      });

      it('throws the reason of an abort while it waits for its turn', async () => {
        const source = noting(5, { asynchronous });
        const controller = new AbortController();
        const posted = scheduler.postTask(async () => {
          for await (const item of pieces(source, { signal: controller.signal })) {
            if (item === 1) {
              scheduler.postTask(() => controller.abort(REASON), { priority: 'user-blocking' });
            }
          }
        });
        await assert.rejects(posted, (error) => error === REASON);
        assert.deepEqual(source.calls, ['next', 'next', 'return']);
      });

      it('answers overlapping calls one after the other', async () => {
        const source = noting(2, { asynchronous });
        const iterator = pieces(source);
        const results = [iterator.next(), iterator.next(), iterator.next(), iterator.next()];
        assert.deepEqual(await Promise.all(results), [
          { value: 0, done: false },
          { value: 1, done: false },
          { value: 'end', done: true },
          { value: undefined, done: true },
        ]);
      });

      it('gives way between items that are asked for at once', async () => {
        const source = noting(20, { asynchronous });
        let isDone = false;
        const urgent = scheduler.postTask(async () => {
          const iterator = pieces(source);
          let seen = 0;
          // Each item is used some reactions after it was given, as frameworks do.
          const used = Array.from({ length: 20 }, async () => {
            const { value } = await iterator.next();
            await Promise.resolve().then().then();
            spin(3);
            seen++;
            return value;
          });
          const other = scheduler.postTask(() => seen, { priority: 'user-blocking' });
          const values = await Promise.all(used);
          assert.deepEqual(values, Array.from({ length: 20 }, (_, i) => i));
          isDone = true;
          return other;
        });
        const seen = await urgent;
        assert.ok(isDone && seen < 20, `${seen} items before it`);
      });

      it('answers an overlapping return() after the items before it', async () => {
        const source = noting(5, { asynchronous });
        const iterator = pieces(source);
        const [first, closed, after] =
          await Promise.all([iterator.next(), iterator.return('mine'), iterator.next()]);
        assert.deepEqual(first, { value: 0, done: false });
        assert.deepEqual(closed, { value: 'mine', done: true });
        assert.deepEqual(after, { value: undefined, done: true });
        assert.deepEqual(source.calls, ['next', 'return']);
      });

      it('closes it and rejects with the error that throw() is given', async () => {
        const source = noting(5, { asynchronous });
        const iterator = pieces(source);
        await iterator.next();
        await assert.rejects(iterator.throw(REASON), (error) => error === REASON);
        assert.deepEqual(source.calls, ['next', 'return']);
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
        for (const call of calls) await assert.rejects(call, (error) => error === REASON);
        late[settle]({ value: 'late', done: false });
        await assert.rejects(iterator.next(), (error) => error === REASON);
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
    await assert.rejects(pending, (error) => error === REASON);
    assert.deepEqual(await closed, { value: 7, done: true });
    assert.deepEqual(calls, ['return']);
  });

  it('listens to its signal only while a call waits for the source', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const give = [];
    const source = {
      [Symbol.asyncIterator]: () => ({ next: () => new Promise((resolve) => give.push(resolve)) }),
    };
    const iterators = Array.from({ length: 20 }, () => pieces(source, { signal }));
    const count = () => getEventListeners(signal, 'abort').length;
    // The listener is removed at the end of a later check phase.
    const untilThereAre = async (expected) => {
      for (let i = 0; i < 100 && count() !== expected; i++) await new Promise(setImmediate);
      assert.equal(count(), expected);
    };
    for (let round = 0; round < 3; round++) {
      await untilThereAre(0);
      const calls = iterators.map((iterator) => iterator.next());
      await untilThereAre(1);
      for (const resolve of give.splice(0)) resolve({ value: round, done: false });
      for (const { value } of await Promise.all(calls)) assert.equal(value, round);
    }
  });

  it('rejects all calls when drain() has given up one of them', async () => {
    const lines = await output((root) => {
      const { drain, pieces, scheduler } = require(root);
      scheduler.postTask(async () => {
        const iterator = pieces([1, 2, 3]);
        const calls = [iterator.next(), iterator.next(), iterator.next()];
        await calls[0];
        drain({ timeout: 0 });
        const settled = await Promise.allSettled(calls);
        console.log(settled.map(({ value, reason }) => reason?.name ?? value.value).join());
      }, { priority: 'background' });
    });
    assert.deepEqual(lines, ['1,TimeoutError,TimeoutError']);
  });

  it('is aborted by the signal of the task in which it was called', async () => {
    const controller = new TaskController();
    const source = noting(Infinity);
    const posted = scheduler.postTask(async () => {
      for await (const item of pieces(source)) if (item === 2) controller.abort(REASON);
    }, { signal: controller.signal });
    await assert.rejects(posted, (error) => error === REASON);
    await new Promise(setImmediate);
    assert.equal(source.calls.at(-1), 'return');
    assert.equal(source.calls.length, 4);
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
      await assert.rejects(released, (error) => error === REASON);
      while (order.length < 4) await new Promise((resolve) => setTimeout(resolve, 1));
      assert.deepEqual(order, isOvertaken ? [0, 'other', 1, 'other'] : [0, 1, 'other', 'other']);
    }
  });

  it('inherits the signal beside a given priority, and the other way round', async () => {
    const controller = new TaskController({ priority: 'background' });
    const items = await scheduler.postTask(() => [
      pieces(noting(9), { priority: 'user-visible' }),
      pieces([0, 1], { signal: new AbortController().signal }),
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
    await assert.rejects(items[0].next(), (error) => error === REASON);
  });

  it('lets other work run while a source never ends', async () => {
    function* naturals() {
      for (let i = 0; ; i++) yield i;
    }
    const controller = new AbortController();
    const timer = new Promise((resolve) => setTimeout(resolve, 5));
    timer.then(() => controller.abort(REASON));
    const { signal } = controller;
    await assert.rejects(collect(pieces(naturals(), { signal })), (error) => error === REASON);
  });

  it('streams: a stream of its items asks for no more than it passes on', async () => {
    const source = noting(Infinity);
    const stream = Readable.from(pieces(source), { highWaterMark: 2 });
    stream.read();
    await once(stream, 'readable');
    await new Promise(setImmediate);
    assert.ok(source.calls.length < 8, `${source.calls.length} calls`);
    stream.destroy();
    await once(stream, 'close');
    assert.equal(source.calls.at(-1), 'return');
  });

  it('passes the items through a pipeline in their order', async () => {
    const chunks = Array.from({ length: 1000 }, (_, i) => `${i}\n`);
    let text = '';
    const target = new Writable({
      write(chunk, encoding, done) {
        text += chunk;
        setImmediate(done);
      },
    });
    await pipeline(Readable.from(pieces(chunks)), target);
    assert.equal(text, chunks.join(''));
  });

  it('ends with the error of a stream', async () => {
    const stream = new Readable({ objectMode: true, read() {} });
    stream.push('first');
    const iterator = pieces(stream);
    assert.deepEqual(await iterator.next(), { value: 'first', done: false });
    stream.destroy(REASON);
    await assert.rejects(iterator.next(), (error) => error === REASON);
    assert.deepEqual(await iterator.next(), { value: undefined, done: true });
  });

  it('ends when its source is closed from outside', async () => {
    function* generator() {
      yield* [1, 2, 3];
    }
    const source = generator();
    const iterator = pieces(source);
    await iterator.next();
    source.return();
    assert.deepEqual(await iterator.next(), { value: undefined, done: true });
  });

  it('destroys the stream when the loop is left', async () => {
    const stream = Readable.from(['a', 'b', 'c']);
    for await (const item of pieces(stream)) if (item === 'a') break;
    assert.equal(stream.destroyed, true);
  });

  const refused = {
    'iterable': [[undefined], [null], [7], [{}], [{ [Symbol.iterator]: 1 }]],
    'options': [[[], 7], [[], 'background']],
    'priority': [[[], { priority: 'urgent' }]],
    'signal': [[[], { signal: {} }]],
  };
  for (const [parameter, calls] of Object.entries(refused)) {
    it(`throws a TypeError that names ${parameter} at once`, () => {
      for (const given of calls) {
        assert.throws(() => pieces(...given), (error) => {
          assert.ok(error instanceof TypeError);
          const start = new RegExp(`^Failed to execute 'pieces': the .*${parameter}`);
          assert.match(error.message, start);
          assert.match(error.code, /^ERR_INVALID_ARG_/);
          return true;
        });
      }
    });
  }
});
