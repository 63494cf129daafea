'use strict';

// What postTask() promises about one task and about the order of several: results, errors, how the
// callback is called, priorities that are fixed and priorities that follow a signal. When the
// loop starts tasks among timers and I/O is tested elsewhere.

const assert = require('node:assert/strict');
const { Scheduler, TaskController, TaskSignal, createScheduler, scheduler } = require('..');
const { PRIORITIES, TASK, priorityOfTask, settled } = require('./helpers.js');

describe('postTask', () => {
  describe('calls the callback', () => {
    it('with no arguments and `this` undefined', async () => {
      const call = await scheduler.postTask(function callback(...args) {
        return { self: this, args };
      });
      assert.deepEqual(call, { self: undefined, args: [] });
    });

    it('with no arguments and `this` undefined when it was delayed', async () => {
      const callback = function callback(...args) {
        return { self: this, args };
      };
      const call = await scheduler.postTask(callback, { delay: 1 });
      assert.deepEqual(call, { self: undefined, args: [] });
    });

    it('exactly once', async () => {
      let calls = 0;
      await scheduler.postTask(() => calls++);
      await scheduler.postTask(() => {}, { priority: 'background' });
      assert.equal(calls, 1);
    });

    it('never before postTask() has returned', async () => {
      const log = [];
      const task = scheduler.postTask(() => log.push('task'), { priority: 'user-blocking' });
      log.push('returned');
      await task;
      assert.deepEqual(log, ['returned', 'task']);
    });

    it('when it is a proxy or a bound function', async () => {
      assert.equal(await scheduler.postTask(new Proxy(() => 1, {})), 1);
      assert.equal(await scheduler.postTask(function get() {
        return this;
      }.bind(2)), 2);
    });
  });

  describe('returns a promise', () => {
    it('of this realm', async () => {
      const task = scheduler.postTask(() => {});
      assert.equal(Object.getPrototypeOf(task), Promise.prototype);
      await task;
    });

    it('of the result', async () => {
      const object = {};
      for (const value of [undefined, null, 0, '', false, NaN, object, Symbol.iterator]) {
        assert.equal(await scheduler.postTask(() => value), value);
      }
    });

    it('of what an async callback returns', async () => {
      assert.equal(await scheduler.postTask(async () => {
        await null;
        return 7;
      }), 7);
    });

    it('of what a thenable result comes to', async () => {
      const good = { then: (resolve) => resolve('good') };
      const bad = { then: (resolve, reject) => reject('bad') };
      assert.equal(await scheduler.postTask(() => good), 'good');
      assert.deepEqual(await settled(scheduler.postTask(() => bad)), ['rejected', 'bad']);
    });

    it('rejected with what the getter `then` of the result throws', async () => {
      const error = new Error('then');
      const result = Object.defineProperty({}, 'then', {
        get() {
          throw error;
        },
      });
      assert.deepEqual(await settled(scheduler.postTask(() => result)), ['rejected', error]);
    });

    it('rejected when the result is that very promise', async () => {
      const task = scheduler.postTask(() => task);
      await assert.rejects(task, TypeError);
    });

    it('rejected with what the callback throws, whatever that is', async () => {
      const thenable = { then: (resolve) => resolve('followed') };
      const plain = [undefined, null, 0, '', Object.create(null)];
      for (const thrown of [new Error('mine'), ...plain, thenable, Promise.resolve()]) {
        const task = scheduler.postTask(() => {
          throw thrown;
        });
        const [state, reason] = await settled(task);
        assert.equal(state, 'rejected');
        assert.equal(reason, thrown);
      }
    });

    it('rejected at once when the callback throws', async () => {
      const log = [];
      const task = scheduler.postTask(() => {
        queueMicrotask(() => {
          log.push('before');
          queueMicrotask(() => log.push('after'));
        });
        throw new Error('mine');
      });
      await task.catch(() => log.push('rejected'));
      await scheduler.postTask(() => {});
      assert.deepEqual(log, ['before', 'rejected', 'after']);
    });

    it('rejected when the callback is a class', async () => {
      await assert.rejects(scheduler.postTask(class {}), TypeError);
    });

    it('that stays pending with the result, while other tasks run', async () => {
      const log = [];
      scheduler.postTask(() => ({ then() {} })).then(() => log.push('never'));
      await scheduler.postTask(() => log.push('next'));
      await scheduler.postTask(() => log.push('last'), { priority: 'background' });
      assert.deepEqual(log, ['next', 'last']);
    });

    it('whose reactions run before the next task', async () => {
      const log = [];
      const first = scheduler.postTask(() => log.push('a')).then(() => log.push('a then'));
      await Promise.all([first, scheduler.postTask(() => log.push('b'))]);
      assert.deepEqual(log, ['a', 'a then', 'b']);
    });
  });

  it('goes on after a task that throws', async () => {
    const log = [];
    const tasks = [0, 1, 2].map((each) => scheduler.postTask(() => {
      log.push(each);
      throw new Error(`task ${each}`);
    }));
    await Promise.allSettled(tasks);
    assert.deepEqual(log, [0, 1, 2]);
  });

  describe('gives a task the priority', () => {
    for (const priority of PRIORITIES) {
      it(`${priority} by option`, async () => {
        assert.equal(await priorityOfTask({ priority }), TASK[priority]);
      });

      it(`${priority} of its signal`, async () => {
        const { signal } = new TaskController({ priority });
        assert.equal(await priorityOfTask({ signal }), TASK[priority]);
      });

      it(`${priority} of a signal whose priority is fixed`, async () => {
        const signal = TaskSignal.any([], { priority });
        assert.equal(await priorityOfTask({ signal }), TASK[priority]);
      });

      for (const other of PRIORITIES) {
        it(`${priority} by option rather than ${other} of its signal`, async () => {
          const { signal } = new TaskController({ priority: other });
          assert.equal(await priorityOfTask({ signal, priority }), TASK[priority]);
        });
      }
    }

    it('user-visible without options', async () => {
      for (const options of [undefined, null, {}, { priority: undefined }]) {
        assert.equal(await priorityOfTask(options), TASK['user-visible']);
      }
    });

    it('user-visible with a signal that has none', async () => {
      const { signal } = new AbortController();
      assert.equal(await priorityOfTask({ signal }), TASK['user-visible']);
    });

    it('of the signal at the time of its start', async () => {
      const controller = new TaskController({ priority: 'background' });
      const { signal } = controller;
      const log = [];
      const tasks = [
        scheduler.postTask(() => log.push('dynamic'), { signal }),
        scheduler.postTask(() => log.push('fixed'), { signal, priority: 'background' }),
        scheduler.postTask(() => log.push('visible')),
      ];
      controller.setPriority('user-blocking');
      await Promise.all(tasks);
      assert.deepEqual(log, ['dynamic', 'visible', 'fixed']);
    });

    it('fixed by option, whatever its signal becomes', async () => {
      const controller = new TaskController({ priority: 'user-blocking' });
      const { signal } = controller;
      const log = [];
      const tasks = [
        scheduler.postTask(() => log.push('visible')),
        scheduler.postTask(() => log.push('fixed'), { signal, priority: 'user-blocking' }),
        scheduler.postTask(() => log.push('dynamic'), { signal }),
      ];
      controller.setPriority('background');
      await Promise.all(tasks);
      assert.deepEqual(log, ['fixed', 'visible', 'dynamic']);
    });
  });

  describe('order', () => {
    it('is that of posting within a priority', async () => {
      const log = [];
      const numbers = Array.from({ length: 500 }, (_, each) => each);
      for (const priority of PRIORITIES) {
        log.length = 0;
        const post = (each) => scheduler.postTask(() => log.push(each), { priority });
        await Promise.all(numbers.map(post));
        assert.deepEqual(log, numbers);
      }
    });

    it('is that of priorities first, then that of posting', async () => {
      const log = [];
      const tasks = [];
      for (let round = 0; round < 3; round++) {
        for (const priority of ['background', 'user-visible', 'user-blocking']) {
          const name = `${priority} ${round}`;
          tasks.push(scheduler.postTask(() => log.push(name), { priority }));
        }
      }
      await Promise.all(tasks);
      const expected = PRIORITIES.flatMap((each) => [0, 1, 2].map((round) => `${each} ${round}`));
      assert.deepEqual(log, expected);
    });

    it('does not depend on where the priority comes from', async () => {
      const a = new TaskController();
      const b = new TaskController();
      const c = TaskSignal.any([], { priority: 'user-visible' });
      const options = [
        {},
        { signal: a.signal },
        { priority: 'user-visible' },
        { signal: b.signal },
        { signal: a.signal },
        { signal: c },
        { signal: new AbortController().signal },
        { signal: b.signal, priority: 'user-visible' },
      ];
      const log = [];
      const post = (each, index) => scheduler.postTask(() => log.push(index), each);
      await Promise.all(options.map(post));
      assert.deepEqual(log, options.map((_, index) => index));
    });

    it('chooses a task of higher priority that a task has posted', async () => {
      const log = [];
      const inner = [];
      const outer = [
        scheduler.postTask(() => {
          log.push('first');
          inner.push(scheduler.postTask(() => log.push('behind')));
          inner.push(scheduler.postTask(() => log.push('ahead'), { priority: 'user-blocking' }));
        }),
        scheduler.postTask(() => log.push('second')),
      ];
      await Promise.all(outer);
      await Promise.all(inner);
      assert.deepEqual(log, ['first', 'ahead', 'second', 'behind']);
    });
  });
});

describe('createScheduler', () => {
  it('makes a further Scheduler', () => {
    const other = createScheduler();
    assert.notEqual(other, scheduler);
    assert.notEqual(other, createScheduler());
    assert.ok(other instanceof Scheduler);
    assert.ok(scheduler instanceof Scheduler);
  });

  it('makes schedulers that share one enqueue order', async () => {
    const schedulers = [scheduler, createScheduler(), createScheduler()];
    const log = [];
    const tasks = [];
    const expected = [];
    for (let each = 0; each < 30; each++) {
      tasks.push(schedulers[(each * 7) % 3].postTask(() => log.push(each)));
      expected.push(each);
    }
    await Promise.all(tasks);
    assert.deepEqual(log, expected);
  });

  it('makes schedulers among which the priority decides first', async () => {
    const [a, b] = [createScheduler(), createScheduler()];
    const log = [];
    await Promise.all([
      a.postTask(() => log.push('a background'), { priority: 'background' }),
      a.postTask(() => log.push('a visible')),
      b.postTask(() => log.push('b blocking'), { priority: 'user-blocking' }),
      b.postTask(() => log.push('b visible')),
      scheduler.postTask(() => log.push('blocking'), { priority: 'user-blocking' }),
    ]);
    const expected = ['b blocking', 'blocking', 'a visible', 'b visible', 'a background'];
    assert.deepEqual(log, expected);
  });

  it('makes schedulers among which one signal moves all its tasks', async () => {
    const controller = new TaskController({ priority: 'background' });
    const { signal } = controller;
    const [a, b] = [createScheduler(), createScheduler()];
    const log = [];
    const tasks = [
      scheduler.postTask(() => log.push('other')),
      b.postTask(() => log.push('b'), { signal }),
      a.postTask(() => log.push('a'), { signal }),
    ];
    controller.setPriority('user-blocking');
    await Promise.all(tasks);
    assert.deepEqual(log, ['b', 'a', 'other']);
  });
});
