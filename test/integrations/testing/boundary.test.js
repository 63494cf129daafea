'use strict';

// The boundary between a test scheduler and the real one: neither leaves anything to the other.

const assert = require('node:assert/strict');
const { subscribe, unsubscribe } = require('node:diagnostics_channel');
const { getEventListeners } = require('node:events');
const { setImmediate: turn } = require('node:timers/promises');
const {
  configuration, configure, drain, onIdle, requestIdleCallback, cancelIdleCallback, scheduler,
} = require('uv-scheduler');
const { monitorTasks } = require('uv-scheduler/watch');
const { controllerFor } = require('uv-scheduler/http');
const { createTestScheduler } = require('uv-scheduler/testing');
const { TestClock } = require('../../../integrations/testing/clock.js');
const { readNanoseconds } = require('../../../lib/loop/time.js');
const { busy, output, startedTask } = require('../../helpers/tasks.js');

const DAY = 24 * 60 * 60 * 1000;
const DEFAULTS = configuration();

it('the time of a test does not begin before the test', () => {
  for (let i = 0; i < 100; i++) {
    const before = readNanoseconds();
    assert.ok(new TestClock({}).now() >= before);
  }
});

describe('a test scheduler is not installed', () => {
  const WAITING = [
    ['an unreferenced task', (signal) => {
      return scheduler.postTask(() => {}, { delay: DAY, label: 'poll', ref: false, signal });
    }, /tasks wait on the real scheduler: 'poll'/],
    ['an idle callback', async (signal) => {
      const handle = requestIdleCallback(() => {});
      signal.addEventListener('abort', () => cancelIdleCallback(handle));
    }, /: an idle callback or drain\(\)/],
  ];
  for (const [what, wait, message] of WAITING) {
    it(`while ${what} waits on the real one`, async () => {
      const controller = new AbortController();
      const waiting = wait(controller.signal);
      assert.throws(() => createTestScheduler(), message);
      controller.abort();
      await waiting.catch(() => {});
    });
  }

  it('while a drain() of the real one is under way, and that of a test ends with it', async () => {
    const { task, finish } = await startedTask();
    const drained = drain();
    assert.throws(() => createTestScheduler(), /tasks wait on the real scheduler: drain\(\)/);
    const stop = new AbortController();
    const joined = drain({ signal: stop.signal });
    stop.abort();
    await assert.rejects(Promise.all([drained, joined]), { name: 'AbortError' });

    const test = createTestScheduler();
    const ended = drain({ timeout: DAY });
    test.stop();
    await ended;
    finish();
    await task;
    await scheduler.postTask(() => {}, { priority: 'background' });
  });
});

describe('the tasks of a test scheduler', () => {
  it('do not start in a chain of real tasks that is under way', async () => {
    await scheduler.yield({ priority: 'user-blocking' });
    const test = createTestScheduler();
    let hasStarted = false;
    const task = scheduler.postTask(() => { hasStarted = true; }, { priority: 'user-blocking' });
    await turn();
    assert.equal(hasStarted, false);
    await test.flush();
    await task;
    test.stop();
  });

  it('never settle behind its end if they have `ref: false`', async () => {
    const test = createTestScheduler();
    let count = 0;
    const poll = async () => {
      for (;;) {
        await scheduler.wait(1000, { ref: false });
        count++;
      }
    };
    const errors = [];
    const end = (error) => errors.push(error);
    poll().catch(end);
    scheduler.postTask(poll, { ref: false, fairnessKey: 'poll' }).catch(end);
    const { signal } = new AbortController();
    scheduler.postTask(poll, { delay: 3000, ref: false, signal }).catch(end);
    await test.advance(2000);
    test.stop();
    await turn();
    assert.deepEqual([count, errors], [4, []]);
  });
});

describe('a task that runs on the real scheduler', () => {
  it('is none of those of a test, and onIdle() and drain() of each wait for its own', async () => {
    const { task, finish } = await startedTask();
    let isIdle = false;
    const idle = onIdle().then(() => (isIdle = true));

    const test = createTestScheduler();
    const idleInTest = onIdle();
    let end;
    const tested = scheduler.postTask(() => new Promise((resolve) => (end = resolve)));
    await test.runAll();
    end('tested');
    assert.equal(await tested, 'tested');
    await idleInTest;
    const stuck = scheduler.postTask(() => new Promise(() => {}));
    const drained = drain({ timeout: 100 });
    await test.advance(200);
    assert.equal((await drained).aborted['user-visible'], 1);
    await assert.rejects(stuck, { name: 'TimeoutError' });
    const idleAtEnd = drain();
    test.stop();
    await idleAtEnd;
    await turn();
    assert.equal(isIdle, false);

    finish('real');
    assert.equal(await task, 'real');
    await idle;
  });
});

it('a task that a subscriber posts when a test ends starts on the real scheduler', async () => {
  const aborted = 'uv-scheduler:task:aborted';
  const test = createTestScheduler();
  scheduler.postTask(() => {}, { delay: 1 }).catch(() => {});
  scheduler.postTask(() => new Promise(() => {})).catch(() => {});
  await test.flush();
  const posted = [];
  const post = () => posted.push(scheduler.postTask(() => 'started'));
  subscribe(aborted, post);
  assert.throws(() => test.stop(), { code: 'ERR_UV_SCHEDULER_TEST' });
  unsubscribe(aborted, post);
  assert.deepEqual(await Promise.all(posted), ['started', 'started']);
  await onIdle();
});

it('the timers of the package that wait at the end of a test fire on the real clock', async () => {
  const monitor = monitorTasks();
  const run = (fairnessKey) => {
    const { signal } = controllerFor(new AbortController().signal, { fairnessKey });
    return scheduler.postTask(() => {}, { signal });
  };
  const test = createTestScheduler();
  const task = run('in the test');
  await test.flush();
  await task;
  test.stop();
  await run('after the test');
  const requests = () => monitor.keys.find(({ key }) => key === 'after the test')?.requests;
  assert.equal(requests(), 1);
  // One timer looks after all such requests.
  while (requests() > 0) await new Promise((resolve) => setTimeout(resolve, 50));
});

describe('the settings', () => {
  afterEach(() => configure(DEFAULTS));

  it('of the program hold in a test', async () => {
    const indexIn = async (maxWait) => {
      configure({ maxWait: { background: maxWait } });
      const test = createTestScheduler({ seed: 1 });
      const log = [];
      scheduler.postTask(() => log.push('background'), { priority: 'background' });
      scheduler.postTask(async () => {
        for (let i = 0; i < 100; i++) {
          await scheduler.yield();
          log.push(i);
        }
      });
      await test.runAll();
      test.stop();
      return log.indexOf('background');
    };
    assert.equal(await indexIn(Infinity), 100);
    assert.ok(await indexIn(20) < 100);
  });

  it('of a test end with it', () => {
    const test = createTestScheduler();
    configure({ timeSlice: 50, maxWait: { background: 20 } });
    test.stop();
    assert.deepEqual(configuration(), DEFAULTS);
  });
});

it('the listeners of signals are removed after a test that has ended before its turn', async () => {
  const test = createTestScheduler();
  await onIdle({ signal: new AbortController().signal });
  test.stop();
  const { signal } = new AbortController();
  await scheduler.postTask(() => {}, { signal });
  for (let i = 0; i < 10 && getEventListeners(signal, 'abort').length > 0; i++) {
    await scheduler.postTask(() => {});
    await turn();
  }
  assert.deepEqual(getEventListeners(signal, 'abort'), []);
});

describe('the fairness keys of a program', () => {
  it('are not those of a test, and keep their thread time', async () => {
    const monitor = monitorTasks();
    const keys = () => monitor.keys.map(({ key }) => key).sort();
    await Promise.all(['a', 'b'].map((fairnessKey) =>
      scheduler.postTask(() => busy(5), { fairnessKey })));
    const before = keys();
    assert.ok(before.includes('a') && before.includes('b'), before.join());
    const test = createTestScheduler();
    for (let i = 0; i < 100; i++) scheduler.postTask(() => {}, { fairnessKey: `test ${i}` });
    await test.runAll();
    test.stop();
    assert.deepEqual(keys(), before);
  });

  it('have the requests that run across the ends of tests, and no others', async () => {
    const monitor = monitorTasks();
    const requests = (name) => monitor.keys.find(({ key }) => key === name)?.requests ?? 0;
    const ended = new AbortController();
    const { signal } = controllerFor(ended.signal, { fairnessKey: 'request' });
    await scheduler.postTask(() => {}, { signal });
    const real = await startedTask({ fairnessKey: 'real' });
    await turn();
    assert.deepEqual(['request', 'real'].map(requests), [1, 1]);

    const test = createTestScheduler();
    real.finish();
    await real.task;
    const inTest = scheduler.postTask(() => {}, { signal });
    const left = scheduler.postTask(() => new Promise(() => {}), { fairnessKey: 'left' });
    await Promise.all([assert.rejects(left), test.runAll().then(() => {
      assert.deepEqual(['request', 'left', 'real'].map(requests), [1, 1, 0]);
      assert.throws(test.stop, /has not settled/);
    }), inTest]);

    assert.deepEqual(['real', 'left'].map(requests), [0, 0]);
    const next = await startedTask({ fairnessKey: 'next' });
    await scheduler.postTask(() => {}, { signal });
    assert.deepEqual(['request', 'next', 'real'].map(requests), [1, 1, 0]);
    next.finish();
    await next.task;
    ended.abort();
    await turn();
    assert.deepEqual(['request', 'next'].map(requests), [0, 0]);
  });
});

describe('the times that watchers see', () => {
  it('go on through a test, which takes none of its days', async () => {
    const monitor = monitorTasks();
    monitor.enable();
    await scheduler.postTask(() => {});
    const test = createTestScheduler();
    const task = scheduler.postTask(() => {});
    await test.flush();
    await task;
    const { 'user-visible': visible } = monitor.time;
    test.stop();
    monitor.disable();
    assert.ok(visible >= 0 && visible < DAY / 24, `${visible}`);
  });

  it('are those of performance.now() after a test', async () => {
    const times = await output(async (root) => {
      const { scheduler: package_ } = require(root);
      const test = require(`${root}/dist/testing.js`).createTestScheduler();
      package_.postTask(() => {});
      await test.advance(24 * 60 * 60 * 1000);
      test.stop();
      const start = 'tracing:uv-scheduler:task:start';
      require('node:diagnostics_channel').subscribe(start, ({ startedAt }) => {
        console.log(Math.abs(startedAt - performance.now()) < 1000);
      });
      await package_.postTask(() => {});
    });
    assert.deepEqual(times, ['true']);
  });
});
