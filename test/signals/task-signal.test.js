'use strict';

// TaskSignal beyond the signal of a controller: the arguments of TaskSignal.any(), and the event
// handler attribute `onprioritychange`. dependents.test.js tests what dependent signals do.

const assert = require('node:assert/strict');
const { TaskController, TaskSignal, onIdle, scheduler } = require('../..');
const { PolyfillSignal, follow, output } = require('../helpers/tasks.js');

describe('TaskSignal.any', () => {
  it('creates a new TaskSignal each time', () => {
    const { signal } = new TaskController();
    const any = TaskSignal.any([signal]);
    assert.ok(any instanceof TaskSignal);
    assert.ok(any instanceof AbortSignal);
    assert.notEqual(any, signal);
    assert.notEqual(any, TaskSignal.any([signal]));
  });

  it('aborts with a foreign signal, or refuses it with an error that names it', () => {
    const polyfill = new PolyfillSignal();
    let any;
    try {
      any = TaskSignal.any([polyfill]);
    } catch (error) {
      assert.ok(error instanceof TypeError);
      for (const part of [/any/, /signals/, /object/i]) assert.match(error.message, part);
      return;
    }
    polyfill.abort('mine');
    assert.equal(any.reason, 'mine');
  });

  describe('accepts any iterable', () => {
    const controller = new AbortController();
    const iterables = {
      'an array': (signal) => [signal],
      'a set': (signal) => new Set([signal]),
      'the values of a map': (signal) => new Map([[1, signal]]).values(),
      'an object with an iterator': (signal) => ({ [Symbol.iterator]: () => [signal].values() }),
      'a function with an iterator': (signal) => {
        return Object.assign(() => {}, { [Symbol.iterator]: () => [signal].values() });
      },
      'a generator': (signal) => (function* generate() {
        yield signal;
      })(),
    };
    for (const [name, make] of Object.entries(iterables)) {
      it(`such as ${name}`, () => {
        const own = new AbortController();
        const any = TaskSignal.any(make(own.signal));
        const other = TaskSignal.any(make(controller.signal));
        own.abort('own');
        assert.equal(any.reason, 'own');
        assert.equal(other.aborted, false);
      });
    }

    it('and gets its iterator once', () => {
      let times = 0;
      TaskSignal.any({
        get [Symbol.iterator]() {
          times++;
          return Array.prototype.values.bind([controller.signal]);
        },
      });
      assert.equal(times, 1);
    });

    it('and ignores later changes of it', () => {
      const [a, b] = [new AbortController(), new AbortController()];
      const list = [a.signal];
      const any = TaskSignal.any(list);
      list[0] = b.signal;
      b.abort();
      assert.equal(any.aborted, false);
      a.abort();
      assert.equal(any.aborted, true);
    });
  });

  describe('with a fixed priority', () => {
    it('is user-visible by default', () => {
      const { signal } = new TaskController({ priority: 'background' });
      for (const init of [undefined, null, {}, { priority: undefined }, () => {}]) {
        assert.equal(TaskSignal.any([signal], init).priority, 'user-visible');
      }
      assert.equal(TaskSignal.any([signal]).priority, 'user-visible');
    });
  });
});

describe('TaskSignal', () => {
  it('has an event handler attribute onprioritychange, initially null', () => {
    assert.equal(new TaskController().signal.onprioritychange, null);
    assert.equal(TaskSignal.any([]).onprioritychange, null);
  });

  describe('onprioritychange', () => {
    let controller;
    let signal;
    beforeEach(() => {
      controller = new TaskController();
      ({ signal } = controller);
    });

    it('is called with the event and the signal as `this`', () => {
      const calls = [];
      const handler = function handler(...args) {
        calls.push({ self: this, args });
      };
      signal.onprioritychange = handler;
      assert.equal(signal.onprioritychange, handler);
      controller.setPriority('background');
      assert.equal(calls.length, 1);
      assert.equal(calls[0].self, signal);
      assert.deepEqual(calls[0].args.map((event) => event.type), ['prioritychange']);
    });

    it('keeps its place among the listeners when it is replaced', () => {
      const log = [];
      signal.addEventListener('prioritychange', () => log.push('first'));
      signal.onprioritychange = () => log.push('old');
      signal.addEventListener('prioritychange', () => log.push('last'));
      signal.onprioritychange = () => log.push('new');
      controller.setPriority('background');
      assert.deepEqual(log, ['first', 'new', 'last']);
    });

    it('moves to the end of the listeners if it was removed before', () => {
      const log = [];
      signal.onprioritychange = () => log.push('old');
      signal.addEventListener('prioritychange', () => log.push('listener'));
      signal.onprioritychange = null;
      signal.onprioritychange = () => log.push('new');
      controller.setPriority('background');
      assert.deepEqual(log, ['listener', 'new']);
    });

    it('is removed by null, undefined and other primitives', () => {
      for (const value of [null, undefined, 0, 1, '', 'text', true, Symbol('x'), 1n]) {
        signal.onprioritychange = () => assert.fail('a removed handler ran');
        signal.onprioritychange = value;
        assert.equal(signal.onprioritychange, null);
      }
      controller.setPriority('background');
    });

    it('keeps an object that is not a function, and does not call it', () => {
      const object = { handleEvent: () => assert.fail('called') };
      signal.onprioritychange = object;
      assert.equal(signal.onprioritychange, object);
      controller.setPriority('background');
    });

    it('can be the same function for several signals', () => {
      const other = new TaskController();
      const targets = [];
      const handler = (event) => targets.push(event.target);
      signal.onprioritychange = handler;
      other.signal.onprioritychange = handler;
      signal.addEventListener('prioritychange', handler);
      controller.setPriority('background');
      other.setPriority('background');
      assert.deepEqual(targets, [signal, signal, other.signal]);
    });
  });

  it('ignores a prioritychange event that user code dispatches', () => {
    const controller = new TaskController();
    const { signal } = controller;
    const dependent = follow(signal);
    const types = [];
    signal.onprioritychange = (event) => types.push(event.constructor.name);
    dependent.onprioritychange = () => assert.fail('told');
    signal.dispatchEvent(new Event('prioritychange'));
    assert.deepEqual(types, ['Event']);
    assert.equal(signal.priority, 'user-visible');
  });

  it('accepts listeners with the options of every event target', () => {
    const controller = new TaskController();
    const { signal } = controller;
    const log = [];
    const listener = { handleEvent: () => log.push('object') };
    const aborting = new AbortController();
    signal.addEventListener('prioritychange', () => log.push('once'), { once: true });
    signal.addEventListener('prioritychange', listener);
    signal.addEventListener('prioritychange', listener);
    signal.addEventListener('prioritychange', () => log.push('till'), { signal: aborting.signal });
    controller.setPriority('background');
    assert.deepEqual(log, ['once', 'object', 'till']);
    aborting.abort();
    controller.setPriority('user-visible');
    assert.deepEqual(log, ['once', 'object', 'till', 'object']);
    signal.removeEventListener('prioritychange', listener);
    controller.setPriority('user-blocking');
    assert.equal(log.length, 4);
  });

  it('schedules tasks by its own priority even if the attribute is redefined', async () => {
    const lines = await output((root) => {
      const { TaskController: Controller, scheduler: own } = require(root);
      const { signal } = new Controller({ priority: 'background' });
      Object.defineProperty(signal, 'priority', { value: 'urgent' });
      own.postTask(() => console.log('ran'), { signal });
    });
    assert.deepEqual(lines, ['ran']);
  });

  it('refuses missing arguments as every event target does', () => {
    const { signal } = new TaskController();
    for (const operation of ['addEventListener', 'removeEventListener']) {
      for (const args of [[], ['abort']]) {
        assert.throws(() => signal[operation](...args), { code: 'ERR_MISSING_ARGS' });
      }
    }
  });

  it('loses no later task after posting failed with a stack overflow', async () => {
    const { signal } = new TaskController({ priority: 'background' });
    const promises = [];
    // No tail call, which takes no stack in JavaScriptCore.
    const post = (depth) => {
      if (depth > 0) {
        post(depth - 1);
        return;
      }
      promises.push(scheduler.yield({ signal }), scheduler.postTask(() => {}, { signal }));
    };
    const fits = (depth) => {
      try {
        post(depth);
        return true;
      } catch {
        return false;
      }
    };
    let most = 1;
    while (fits(2 * most)) most *= 2;
    for (let step = most; step >= 1; step = Math.floor(step / 2)) {
      while (fits(most + step)) most += step;
    }
    for (let depth = most - 60; depth < most + 3; depth++) fits(depth);
    await Promise.allSettled(promises);
    await scheduler.postTask(() => {}, { signal });
    await scheduler.yield({ signal });
    await onIdle();
  });
});
