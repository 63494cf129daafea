'use strict';

// The test scheduler: the order of section 7 on a clock that the test moves, for all code that
// imports the package.

const assert = require('node:assert/strict');
const v8 = require('node:v8');
const vm = require('node:vm');
const api = require('uv-scheduler');
const { createTestScheduler } = require('uv-scheduler/testing');

const { SharedTask, drain, onIdle, requestIdleCallback, scheduler, shouldYield } = api;

const DAY = 24 * 60 * 60 * 1000;

v8.setFlagsFromString('--expose-gc');
const gc = vm.runInNewContext('gc');

// Calls `use` without mocha's own listeners for unhandled rejections.
async function withoutListeners(use) {
  const listeners = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection');
  try {
    await use();
  } finally {
    for (const listener of listeners) process.on('unhandledRejection', listener);
  }
}

const ignored = (promise) => void promise.catch(() => {});

describe('createTestScheduler()', () => {
  let test;
  let log;

  const post = (name, options) => scheduler.postTask(() => {
    log.push(name);
    return name;
  }, options);

  beforeEach(() => {
    test = createTestScheduler();
    log = [];
  });

  afterEach(() => test.stop());

  describe('starts tasks', () => {
    it('only when the test asks for it, and of at least the given priority', async () => {
      const task = post('visible');
      post('background', { priority: 'background' });
      await new Promise((resolve) => setTimeout(resolve, 5));
      assert.deepEqual(log, []);
      await test.flush('user-visible');
      assert.deepEqual(log, ['visible']);
      assert.equal(await task, 'visible');
      await test.flush();
      assert.deepEqual(log, ['visible', 'background']);
    });

    it('after all ticks and microtasks of the task before', async () => {
      const first = scheduler.postTask(async () => {
        process.nextTick(() => queueMicrotask(() => log.push('tick')));
        for (let i = 0; i < 100; i++) await null;
        log.push('microtasks');
      });
      post('next', { priority: 'user-visible' });
      await test.flush();
      await first;
      assert.deepEqual([log.slice(0, 2).sort(), log[2]], [['microtasks', 'tick'], 'next']);
    });
  });

  describe('has a clock', () => {
    it('that stands still but for advance() and runAll(), and moves fake timers', async () => {
      test.stop();
      let moved = 0;
      test = createTestScheduler({ advanceTimers: async (ms) => void (moved += ms) });
      for (const delay of [30, 2 ** 40, 10, 20]) {
        scheduler.postTask(() => log.push(Math.trunc(moved)), { delay, priority: 'background' });
      }
      await test.flush();
      assert.deepEqual([test.now, log], [0, []]);
      await test.advance(9);
      assert.deepEqual([test.now, log], [9, []]);
      await test.advance(1);
      assert.deepEqual([test.now, log], [10, [10]]);
      await test.runAll();
      assert.deepEqual([test.now, log], [2 ** 40, [10, 20, 30, 2 ** 40]]);
    });

    it('that spend() moves, with fake timers, and delayed tasks come when due', async () => {
      test.stop();
      let moved = 0;
      test = createTestScheduler({ advanceTimers: (ms) => void (moved += ms) });
      const note = () => log.push(test.now);
      scheduler.postTask(note, { delay: 3, priority: 'user-blocking' });
      scheduler.postTask(() => log.push(moved), { priority: 'background' });
      scheduler.postTask(async () => {
        for (let i = 0; i < 5; i++) {
          test.spend(2);
          if (shouldYield()) await scheduler.yield();
        }
        note();
      });
      await test.flush();
      assert.deepEqual(log, [4, 10, 10]);
    });

    it('that spend() moves by a time alone, and not after the test', () => {
      for (const time of [-1, NaN, '', undefined]) {
        assert.throws(() => test.spend(time), { name: 'TypeError', message: /'spend'/ });
      }
      test.stop();
      assert.throws(() => test.spend(1), { code: 'ERR_UV_SCHEDULER_TEST' });
    });

    it('on which centuries pass without a hang', async () => {
      await test.advance(2 ** 40);
      const waits = Array.from({ length: 50 }, (_, i) => scheduler.wait(3 * i + 1));
      await test.advance(1000);
      await Promise.all(waits);
      assert.ok(test.now >= 2 ** 40 + 1000, `${test.now}`);
    });

    it('that unreferenced tasks do not move', async () => {
      ignored(scheduler.postTask(async () => {
        for (;;) {
          await scheduler.wait(1000, { ref: false });
          log.push(test.now);
        }
      }, { ref: false }));
      await test.runAll();
      assert.deepEqual([test.now, log], [0, []]);
      await test.advance(2500);
      assert.deepEqual(log, [1000, 2000]);
    });
  });

  describe('is the scheduler of all code that imports the package', () => {
    it('with the bounds on the wait of a task that joins a shared one', async () => {
      const shared = new SharedTask(async () => {
        for (let i = 0; i < 3; i++) {
          log.push(`${shared.priority} at ${test.now}`);
          await scheduler.wait(150);
        }
      });
      const joining = scheduler.postTask(() => shared.join(), {
        priority: 'background', maxWait: 200,
      });
      await test.runAll();
      await joining;
      assert.deepEqual(log, ['background at 0', 'background at 150', 'user-visible at 300']);
    });

    it('also as its own member, with all exports of the package', () => {
      for (const name of Object.keys(api)) assert.equal(test[name], api[name], name);
    });
  });

  it('tells what has happened in its trace', async () => {
    const chain = scheduler.postTask(async () => {
      await scheduler.wait(5);
      throw new Error('failed');
    }, { label: 'chain', priority: 'background' });
    chain.catch(() => {});
    const controller = new AbortController();
    post('aborted', { signal: controller.signal, label: 'aborted' }).catch(() => {});
    controller.abort();
    await test.runAll();
    const lines = test.trace.map(({ time, event, label, priority, isContinuation }) =>
      `${time} ${event} ${label} ${priority}${isContinuation ? ' continuation' : ''}`);
    assert.deepEqual(lines, [
      '0 posted chain background',
      '0 posted aborted user-visible',
      '0 aborted aborted user-visible',
      '0 started chain background',
      '0 posted chain background continuation',
      '5 started chain background continuation',
      '5 completed chain background continuation',
      '5 failed chain background',
    ]);
    // It is a copy.
    test.trace.push('x');
    assert.equal(test.trace.length, lines.length);
  });
});

describe('the end of a test scheduler', () => {
  // The error of stop(), after `begin` and all that it leads to.
  const messageOf = async (begin, options) => {
    const test = createTestScheduler(options);
    try {
      await begin(test);
    } catch (error) {
      test.stop();
      throw error;
    }
    try {
      test.stop();
    } catch (error) {
      assert.equal(error.code, 'ERR_UV_SCHEDULER_TEST');
      return error.message.replace(/^Failed to execute 'stop' on 'TestScheduler'/, '');
    }
    return undefined;
  };

  const ENDS = {
    'names a task that is still queued or delayed': [() => {
      ignored(scheduler.postTask(function render() {}));
      ignored(scheduler.postTask(() => {}, { delay: 10, label: 'refresh' }));
    }, ": 'render' is still queued; 'refresh' is still delayed"],
    'names a task that never settles, and its continuation': [async (test) => {
      ignored(scheduler.postTask(() => new Promise(() => {}), { label: 'stuck' }));
      ignored(scheduler.postTask(async () => scheduler.wait(DAY), { label: 'sleepy' }));
      await test.flush();
    }, ": a continuation of 'sleepy' is still delayed; 'stuck' has not settled; 'sleepy' has not " +
      'settled'],
    'names a rejection that nothing handles': [async (test) => {
      scheduler.postTask(() => { throw new Error('boom'); }, { label: 'careless' });
      await test.flush();
    }, ": the rejection of 'careless' was not handled: boom"],
    'names the seed': [() => ignored(scheduler.postTask(() => {}, { label: 'left' })),
      " (seed 7): 'left' is still queued", { seed: 7 }],
    'names a task that could be collected, also behind a drain': [async (test) => {
      const ended = drain({ timeout: 1 });
      await test.runAll();
      await ended;
      ignored(scheduler.postTask(() => new Promise(() => {}), { label: 'stuck' }));
      await test.flush();
      for (let i = 0; i < 20; i++) {
        gc();
        await new Promise(setImmediate);
      }
    }, ": 'stuck' has not settled"],
    'says nothing of a rejection that is handled before': [async (test) => {
      const task = scheduler.postTask(() => { throw new Error('late'); });
      await test.flush();
      await assert.rejects(task, { message: 'late' });
      await new Promise(setImmediate);
    }, undefined],
    'says nothing of tasks that have ended, were aborted, or keep no process alive': [
      async (test) => {
        const controller = new AbortController();
        ignored(scheduler.postTask(() => {}));
        ignored(scheduler.postTask(() => {}, { signal: controller.signal }));
        ignored(scheduler.wait(DAY, { ref: false }));
        ignored(scheduler.postTask(() => {}, { ref: false, delay: DAY }));
        controller.abort();
        await test.flush();
      }, undefined],
  };
  for (const [title, [begin, expected, options]] of Object.entries(ENDS)) {
    it(title, () => withoutListeners(async () => {
      assert.equal(await messageOf(begin, options), expected);
    }));
  }

  it('rejects what is left, and restores the real scheduler', async () => {
    const test = createTestScheduler();
    const left = scheduler.postTask(() => {}, { delay: 10 });
    const stuck = scheduler.postTask(() => new Promise(() => {}));
    await test.flush();
    assert.throws(() => test.stop(), { code: 'ERR_UV_SCHEDULER_TEST' });
    await assert.rejects(left, { name: 'AbortError', message: 'The test has ended' });
    await assert.rejects(stuck, { name: 'AbortError' });
    assert.equal(await scheduler.postTask(() => 'real'), 'real');
    test.stop();
    await assert.rejects(test.flush(), /the test scheduler was stopped/);
    // The end of a block with a `using` declaration.
    createTestScheduler()[Symbol.dispose]();
    createTestScheduler().stop();
  });
});

describe('a misuse of the test scheduler is an error', () => {
  it('as two at once, also by another copy of its module', () => {
    const file = require.resolve('uv-scheduler/testing');
    const test = createTestScheduler();
    const own = require.cache[file];
    try {
      delete require.cache[file];
      for (const create of [createTestScheduler, require(file).createTestScheduler]) {
        assert.throws(() => create(), /the last test scheduler was not stopped/);
      }
    } finally {
      require.cache[file] = own;
      test.stop();
    }
  });

  it('as two operations at once', async () => {
    const test = createTestScheduler();
    try {
      const first = test.advance(10);
      await assert.rejects(test.runAll(), /a call of 'advance' is under way: await it first/);
      await first;
    } finally {
      test.stop();
    }
  });

  it('as a chain that never ends', async () => {
    const test = createTestScheduler({ maxTasks: 1000 });
    ignored(scheduler.postTask(async () => {
      for (;;) await scheduler.yield();
    }));
    const message = /: 1000 tasks and continuations were started \(maxTasks\), and more are queued/;
    await assert.rejects(test.runAll(), message);
    // Each call starts as many.
    await assert.rejects(test.runAll(), message);
    assert.ok(test.trace.filter(({ event }) => event === 'started').length >= 2000);
    assert.throws(() => test.stop(), { code: 'ERR_UV_SCHEDULER_TEST' });
    await onIdle();
  });

  it('as an idle callback that throws', async () => {
    const test = createTestScheduler();
    requestIdleCallback(() => { throw new Error('from an idle callback'); });
    const task = scheduler.postTask(() => 'behind', { delay: 1 });
    await assert.rejects(test.runAll(), { message: 'from an idle callback' });
    await test.runAll();
    assert.equal(await task, 'behind');
    test.stop();
    await onIdle();
  });
});
