'use strict';

// Delays: a task is never early, delayed tasks are queued by deadline, changes before the deadline
// count, an aborted task does not keep the process alive, and very long delays are waited for. No
// test relies on a task being punctual.

const assert = require('node:assert/strict');
const { TaskController, TaskSignal, createScheduler, scheduler, wait } = require('../..');
const { PRIORITIES, busy, output, settled } = require('../helpers/tasks.js');

describe('a delayed task', () => {
  it('is never early by performance.now()', async () => {
    const post = async (delay, priority) => {
      const start = performance.now();
      const elapsed = await scheduler.postTask(() => performance.now() - start, {
        delay,
        priority,
      });
      assert.ok(elapsed >= delay, `${elapsed} ms instead of ${delay}`);
    };
    const all = [];
    for (let delay = 1; delay <= 60; delay++) {
      for (const priority of PRIORITIES) all.push(post(delay, priority));
      // Spreads the calls over different fractions of a millisecond.
      busy(0.17);
    }
    await Promise.all(all);
    for (let delay = 1; delay <= 8; delay++) await post(delay);
  });

  it('is measured from the call, not from the end of the current callback', async () => {
    const log = [];
    const tasks = [
      scheduler.postTask(() => log.push('delayed'), { delay: 20, priority: 'user-blocking' }),
      scheduler.postTask(() => busy(40), { priority: 'user-blocking' }),
      scheduler.postTask(() => log.push('visible')),
    ];
    await Promise.all(tasks);
    assert.deepEqual(log, ['delayed', 'visible']);
  });

  it('does not hold back tasks without a delay', async () => {
    const log = [];
    await Promise.all([
      scheduler.postTask(() => log.push('delayed'), { delay: 1, priority: 'user-blocking' }),
      scheduler.postTask(() => log.push('task'), { priority: 'user-blocking' }),
    ]);
    assert.deepEqual(log, ['task', 'delayed']);
  });

  it('with a delay of 0 keeps its place in the order of posting', async () => {
    const log = [];
    await Promise.all([
      scheduler.postTask(() => log.push(1), { delay: 0 }),
      scheduler.postTask(() => log.push(2)),
      scheduler.postTask(() => log.push(3), { delay: 0 }),
    ]);
    assert.deepEqual(log, [1, 2, 3]);
  });

  it('wakes an idle loop', async () => {
    const lines = await output((root) => {
      const { scheduler: own } = require(root);
      own.postTask(() => console.log('late'), { delay: 50, priority: 'background' });
    });
    assert.deepEqual(lines, ['late']);
  });

  it('resolves, rejects and follows thenables like other tasks', async () => {
    const error = new Error('mine');
    const fail = () => {
      throw error;
    };
    assert.equal(await scheduler.postTask(() => 1, { delay: 1 }), 1);
    assert.equal(await scheduler.postTask(async () => 2, { delay: 1 }), 2);
    assert.deepEqual(await settled(scheduler.postTask(fail, { delay: 1 })), ['rejected', error]);
  });

  describe('is queued', () => {
    it('by deadline', async () => {
      const log = [];
      const delays = [41, 1, 31, 11, 21];
      const tasks = delays.map((delay) => scheduler.postTask(() => log.push(delay), { delay }));
      await Promise.all(tasks);
      assert.deepEqual(log, [1, 11, 21, 31, 41]);
    });

    it('by deadline if all deadlines have passed', async () => {
      const log = [];
      const delays = [50, 10, 40, 20, 30];
      const tasks = delays.map((delay) => scheduler.postTask(() => log.push(delay), { delay }));
      busy(80);
      await Promise.all(tasks);
      assert.deepEqual(log, [10, 20, 30, 40, 50]);
    });

    it('in call order if the deadlines are equal', async () => {
      const log = [];
      const numbers = Array.from({ length: 300 }, (_, each) => each);
      const schedulers = [scheduler, createScheduler()];
      await Promise.all(numbers.map((each) => {
        return schedulers[each % 2].postTask(() => log.push(each), { delay: 10 });
      }));
      assert.deepEqual(log, numbers);
    });

    it('after tasks of its priority that were queued before its deadline', async () => {
      const log = [];
      const tasks = [
        scheduler.postTask(() => log.push('delayed'), { delay: 5 }),
        scheduler.postTask(() => log.push('task')),
      ];
      busy(15);
      await Promise.all(tasks);
      assert.deepEqual(log, ['task', 'delayed']);
    });

    it('before the next task is chosen', async () => {
      const log = [];
      await Promise.all([
        scheduler.postTask(() => log.push('delayed'), { delay: 10, priority: 'user-blocking' }),
        scheduler.postTask(() => {
          log.push('first');
          busy(30);
        }),
        scheduler.postTask(() => log.push('second')),
        scheduler.postTask(() => log.push('third'), { priority: 'background' }),
      ]);
      // On a slow machine the deadline may pass before the first task.
      assert.ok(log.indexOf('delayed') < log.indexOf('second'), log.join());
      assert.deepEqual(log.filter((each) => each !== 'delayed'), ['first', 'second', 'third']);
    });

    it('and runs by priority among tasks whose deadlines have passed', async () => {
      const log = [];
      const tasks = ['background', 'user-visible', 'user-blocking'].map((priority, index) => {
        return scheduler.postTask(() => log.push(priority), { priority, delay: index + 1 });
      });
      busy(20);
      await Promise.all(tasks);
      assert.deepEqual(log, PRIORITIES);
    });
  });

  describe('has the priority', () => {
    for (const [name, follow] of [['its signal', (signal) => signal],
      ['a signal that follows another', (signal) => TaskSignal.any([], { priority: signal })]]) {
      it(`that ${name} got before the deadline`, async () => {
        const controllers = ['background', 'user-blocking'].map((priority) => {
          return new TaskController({ priority });
        });
        const signals = controllers.map(({ signal }) => follow(signal));
        const log = [];
        const tasks = [
          scheduler.postTask(() => log.push('lowered'), { signal: signals[1], delay: 1 }),
          scheduler.postTask(() => log.push('visible'), { delay: 2 }),
          scheduler.postTask(() => log.push('raised'), { signal: signals[0], delay: 3 }),
        ];
        controllers[0].setPriority('user-blocking');
        controllers[1].setPriority('background');
        busy(20);
        await Promise.all(tasks);
        assert.deepEqual(log, ['raised', 'visible', 'lowered']);
      });

      it(`that ${name} got after the deadline`, async () => {
        const controller = new TaskController({ priority: 'background' });
        const signal = follow(controller.signal);
        const log = [];
        const tasks = [
          scheduler.postTask(() => log.push('visible'), { delay: 1 }),
          scheduler.postTask(() => log.push('raised'), { signal, delay: 1 }),
        ];
        busy(20);
        controller.setPriority('user-blocking');
        await Promise.all(tasks);
        assert.deepEqual(log, ['raised', 'visible']);
      });
    }

    it('of its option, even if the priority of its signal changes', async () => {
      const controller = new TaskController();
      const { signal } = controller;
      const log = [];
      const tasks = [
        scheduler.postTask(() => log.push('fixed'), { signal, delay: 1, priority: 'background' }),
        scheduler.postTask(() => log.push('visible'), { delay: 2 }),
      ];
      controller.setPriority('user-blocking');
      busy(20);
      await Promise.all(tasks);
      assert.deepEqual(log, ['visible', 'fixed']);
    });
  });

  describe('that is aborted', () => {
    it('no longer keeps the process alive', async () => {
      const start = performance.now();
      const lines = await output((root) => {
        const { scheduler: own, TaskController: Controller } = require(root);
        const controller = new Controller();
        const { signal } = controller;
        for (const delay of [20_000, 2 ** 31 + 5, 2 ** 53 - 1]) {
          own.postTask(() => console.log('ran'), { signal, delay }).catch(console.log);
        }
        setTimeout(() => controller.abort('aborted'), 5);
      });
      assert.deepEqual(lines, ['aborted', 'aborted', 'aborted']);
      assert.ok(performance.now() - start < 15_000, 'the process waited for the task');
    });

    it('does not affect the wait of other tasks', async () => {
      const controllers = [1, 2, 3, 4].map(() => new AbortController());
      const log = [];
      const tasks = controllers.map(({ signal }, index) => {
        const delay = 10 + index;
        return settled(scheduler.postTask(() => log.push(index), { signal, delay }));
      });
      controllers[0].abort();
      controllers[2].abort();
      const states = (await Promise.all(tasks)).map(([state]) => state);
      assert.deepEqual(states, ['rejected', 'fulfilled', 'rejected', 'fulfilled']);
      assert.deepEqual(log, [1, 3]);
    });
  });

  for (const delay of [2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 32 + 1, 2 ** 40, 2 ** 53 - 1]) {
    it(`waits when the delay is ${delay} ms`, async () => {
      const controller = new AbortController();
      const { signal } = controller;
      const log = [];
      const task = scheduler.postTask(() => log.push('early'), { signal, delay });
      await scheduler.postTask(() => log.push('short'), { delay: 40, priority: 'background' });
      assert.deepEqual(log, ['short']);
      controller.abort('enough');
      assert.deepEqual(await settled(task), ['rejected', 'enough']);
    });
  }

  it('does not hold back shorter delays, however long its own is', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const log = [];
    const long = [2 ** 53 - 1, 2 ** 33, 60_000].map((delay) => {
      return settled(scheduler.postTask(() => log.push('early'), { signal, delay }));
    });
    await Promise.all([20, 10].map((delay) => {
      return scheduler.postTask(() => log.push(delay), { delay });
    }));
    assert.deepEqual(log, [10, 20]);
    controller.abort();
    await Promise.all(long);
  });
});

describe('the function wait()', () => {
  it('is the method of the scheduler: it inherits, and rejects bad input', async () => {
    const { signal } = new TaskController({ priority: 'background' });
    const work = async () => {
      const start = performance.now();
      await wait(2);
      assert.ok(performance.now() - start >= 2);
      const order = [];
      const visible = scheduler.postTask(() => order.push('visible'));
      await wait(0).then(() => order.push('background'));
      await visible;
      return order;
    };
    assert.deepEqual(await scheduler.postTask(work, { signal }), ['visible', 'background']);
    await assert.rejects(wait(1, { signal: AbortSignal.abort('reason') }), (error) => {
      return error === 'reason';
    });
    await assert.rejects(wait(), { code: 'ERR_INVALID_ARG_TYPE' });
  });
});
