'use strict';

// TaskController and its TaskSignal: setPriority() with a bad argument and errors of listeners, the
// arguments of TaskSignal.any(), and the event handler attribute `onprioritychange`.
// dependents.test.js tests the changes of priority, webidl/interfaces.test.js the classes.

const assert = require('node:assert/strict');
const { TaskController, TaskPriorityChangeEvent, TaskSignal, scheduler } = require('../..');
const { TASK, follow, output, priorityOfTask, runChild } = require('../helpers/tasks.js');

describe('a TaskController', () => {
  it('controls its own signal only, even if a subclass overrides `signal`', () => {
    const foreign = new AbortController();
    class Mine extends TaskController {
      get signal() {
        return foreign.signal;
      }
    }
    const mine = new Mine({ priority: 'background' });
    mine.setPriority('user-blocking');
    assert.equal(Object.getPrototypeOf(foreign.signal), AbortSignal.prototype);
    assert.throws(() => Reflect.get(TaskSignal.prototype, 'priority', foreign.signal), TypeError);
    const own = Reflect.get(AbortController.prototype, 'signal', mine);
    assert.equal(own.priority, 'user-blocking');
  });

  it('reports an invalid argument in a change before the NotAllowedError', () => {
    const controller = new TaskController();
    let error;
    controller.signal.onprioritychange = () => {
      try {
        controller.setPriority('high');
      } catch (caught) {
        error = caught;
      }
    };
    controller.setPriority('background');
    assert.ok(error instanceof TypeError);
    assert.equal(controller.signal.priority, 'background');
  });

  it('completes a change if a listener throws, uncaught @errors-of-listeners', async () => {
    const lines = await output((root) => {
      const { TaskController: Controller } = require(root);
      process.on('uncaughtException', (error) => console.log(`uncaught ${error.message}`));
      const controller = new Controller();
      controller.signal.addEventListener('prioritychange', () => { throw new Error('listener'); });
      controller.signal.addEventListener('prioritychange', () => console.log('second'));
      controller.setPriority('background');
      console.log(controller.signal.priority);
      controller.setPriority('user-blocking');
      console.log(controller.signal.priority);
    });
    const expected = ['second', 'background', 'second', 'user-blocking',
      'uncaught listener', 'uncaught listener'];
    assert.deepEqual(lines, expected);
  });

  it('has already moved the tasks when the event fires', async () => {
    const controller = new TaskController({ priority: 'background' });
    const log = [];
    const tasks = [
      scheduler.postTask(() => log.push('signal'), { signal: controller.signal }),
      scheduler.postTask(() => log.push('visible')),
    ];
    controller.signal.onprioritychange = () => {
      tasks.push(scheduler.postTask(() => log.push('late'), { priority: 'user-blocking' }));
    };
    controller.setPriority('user-blocking');
    await Promise.all(tasks);
    assert.deepEqual(log, ['signal', 'late', 'visible']);
  });
});

describe('TaskSignal.any', () => {
  it('accepts any iterable, asks it once, and ignores later changes of it', () => {
    let times = 0;
    const iterable = (list) => ({
      get [Symbol.iterator]() {
        times++;
        return Array.prototype.values.bind(list);
      },
    });
    for (const make of [iterable, (list) => list, (list) => new Set(list)]) {
      const controller = new AbortController();
      const list = [controller.signal];
      const any = TaskSignal.any(make(list));
      list[0] = AbortSignal.abort('another');
      assert.equal(any.aborted, false);
      controller.abort('mine');
      assert.equal(any.reason, 'mine');
    }
    assert.equal(times, 1);
  });
});

describe('onprioritychange', () => {
  let controller;
  let signal;
  beforeEach(() => {
    controller = new TaskController();
    ({ signal } = controller);
  });

  it('is null at first and behind primitives, else the object, called with the event', () => {
    assert.equal(signal.onprioritychange, null);
    const object = { handleEvent: () => assert.fail('called') };
    signal.onprioritychange = object;
    assert.equal(signal.onprioritychange, object);
    controller.setPriority('user-blocking');
    const calls = [];
    const handler = function handler(...args) {
      calls.push([this, ...args.map(({ type }) => type)]);
    };
    for (const value of [null, undefined, 0, 1, '', 'text', true, Symbol('x'), 1n]) {
      signal.onprioritychange = handler;
      assert.equal(signal.onprioritychange, handler);
      signal.onprioritychange = value;
      assert.equal(signal.onprioritychange, null);
    }
    controller.setPriority('user-visible');
    signal.onprioritychange = handler;
    controller.setPriority('background');
    assert.deepEqual(calls, [[signal, 'prioritychange']]);
    assert.equal(calls[0][0], signal);
  });

  it('keeps its place among the listeners when it is replaced, and not when removed', () => {
    const log = [];
    const listen = (name) => signal.addEventListener('prioritychange', () => log.push(name));
    listen('first');
    signal.onprioritychange = () => log.push('old');
    listen('last');
    signal.onprioritychange = () => log.push('new');
    controller.setPriority('background');
    signal.onprioritychange = null;
    signal.onprioritychange = () => log.push('newest');
    controller.setPriority('user-visible');
    assert.deepEqual(log, ['first', 'new', 'last', 'first', 'last', 'newest']);
  });
});

describe('a TaskSignal', () => {
  it('ignores a prioritychange event that user code dispatches', () => {
    const { signal } = new TaskController();
    const dependent = follow(signal);
    const types = [];
    signal.onprioritychange = (event) => types.push(event.constructor.name);
    dependent.onprioritychange = () => assert.fail('told');
    signal.dispatchEvent(new Event('prioritychange'));
    const init = { previousPriority: 'background' };
    signal.dispatchEvent(new TaskPriorityChangeEvent('prioritychange', init));
    assert.deepEqual(types, ['Event', 'TaskPriorityChangeEvent']);
    assert.equal(signal.priority, 'user-visible');
  });

  it('passes the arguments of listeners on, and refuses those that an event target refuses', () => {
    const controller = new TaskController();
    const { signal } = controller;
    const log = [];
    signal.addEventListener('prioritychange', () => log.push('once'), { once: true });
    controller.setPriority('background');
    controller.setPriority('user-visible');
    assert.deepEqual(log, ['once']);
    for (const operation of ['addEventListener', 'removeEventListener']) {
      for (const args of [[], ['abort']]) {
        assert.throws(() => signal[operation](...args), { code: 'ERR_MISSING_ARGS' });
      }
    }
  });

  it('schedules tasks by its own priority even if the attribute is redefined', async () => {
    const { signal } = new TaskController({ priority: 'background' });
    Object.defineProperty(signal, 'priority', { value: 'urgent' });
    assert.equal(await priorityOfTask({ signal }), TASK.background);
  });

  // In a program of its own, as an overflow in Node's own functions can leave hooks of async_hooks
  // without calls. Node prints an error then, and Bun reports a promise whose executor has failed.
  it('loses no later task after posting failed with a stack overflow', async () => {
    const { stdout } = await runChild(async (root) => {
      const { TaskController: Controller, onIdle: idle, scheduler: own } = require(root);
      const { signal } = new Controller({ priority: 'background' });
      const promises = [];
      // Those of promises for which push() finds no room in the stack.
      process.on('unhandledRejection', () => {});
      // No tail call, which takes no stack in JavaScriptCore.
      const post = (depth) => {
        if (depth > 0) {
          post(depth - 1);
          return;
        }
        promises.push(own.yield({ signal }), own.postTask(() => {}, { signal }));
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
      await own.postTask(() => {}, { signal });
      await own.yield({ signal });
      await idle();
      console.log('idle');
    });
    assert.equal(stdout, 'idle\n');
  });
});
