'use strict';

// drain(): what runs, what is rejected, what is counted, and when it ends. Random programs compare
// it, and onIdle(), with a model.

const assert = require('node:assert/strict');
const { subscribe, unsubscribe } = require('node:diagnostics_channel');
const { setTimeout: sleep } = require('node:timers/promises');
const fc = require('fast-check');
const {
  TaskController, cancelIdleCallback, drain, onIdle, requestIdleCallback, scheduler,
} = require('../..');
const { PRIORITIES, output, settled, startedTask } = require('../helpers/tasks.js');

// Numbers by priority.
const counts = (ub, uv, bg) => ({ 'user-blocking': ub, 'user-visible': uv, 'background': bg });
const NONE = counts(0, 0, 0);
const numbers = (completed, failed, aborted) => ({ completed, failed, aborted });

// The outcomes of tasks: results, and messages of errors.
async function outcomes(promises) {
  const all = await Promise.allSettled(promises);
  return all.map(({ value, reason }) => value ?? `${reason.name}: ${reason.message}`);
}

const TOO_LOW = (priority) => `AbortError: drain() runs no tasks below the priority '${priority}'`;
const TOO_LATE = 'AbortError: drain() does not wait for delayed tasks';
const TIMED_OUT = (timeout) => `TimeoutError: drain() timed out after ${timeout} ms`;

// The ways in which tasks end, each with what drain() counts and the outcome.
const BACKGROUND = { priority: 'background' };
const ABORTED = new Error('aborted');
const WAYS = {
  // A chain that has begun goes on, whatever the priority of its yields and waits.
  goesOn: ['completed', 'ran', async () => {
    await scheduler.yield(BACKGROUND);
    await scheduler.wait(1, BACKGROUND);
    return 'ran';
  }],
  returns: ['completed', 'ran', () => 'ran'],
  // Has started before, and has a continuation that waits.
  isRunning: ['completed', 'ran', async (controller, gate) => {
    await scheduler.wait(2, BACKGROUND);
    return gate.then(() => 'ran');
  }],
  throws: ['failed', 'Error: thrown', () => { throw new Error('thrown'); }],
  rejects: ['failed', 'Error: later', () => scheduler.yield().then(() => {
    throw new Error('later');
  })],
  abortsItself: ['aborted', 'Error: aborted', (controller) => controller.abort(ABORTED)],
  // Is aborted after the call.
  isAborted: ['aborted', 'Error: aborted', () => 'ran'],
};

const anyPriority = fc.constantFrom(...PRIORITIES);
const programs = fc.record({
  // The priority that is drained. Without one, onIdle() waits for all.
  least: fc.option(anyPriority, { nil: undefined }),
  // Whether code of a task asks, at once or behind an await.
  asker: fc.constantFrom('none', 'task', 'continuation'),
  tasks: fc.array(fc.record({
    way: fc.constantFrom(...Object.keys(WAYS)),
    priority: anyPriority,
    followsSignal: fc.boolean(),
    isDelayed: fc.boolean(),
    isDuring: fc.boolean(),
    // A refused task need not keep the process alive.
    isLeft: fc.boolean(),
  }), { maxLength: 8 }),
});

// Without a task to wait for, a call would end at once.
const RUNNING = { way: 'isRunning', priority: 'user-visible' };

async function assertAsModel({ least, asker, tasks }) {
  await onIdle();
  let open;
  const gate = new Promise((resolve) => (open = resolve));
  const controllers = [];
  const posted = [];
  const waiting = new Set();
  const expected = { outcomes: [], counts: numbers({ ...NONE }, { ...NONE }, { ...NONE }) };
  const post = ({ way, priority, followsSignal, isDelayed, isLeft }) => {
    const [counted, outcome, run] = WAYS[way];
    const isLow = PRIORITIES.indexOf(priority) > PRIORITIES.indexOf(least);
    const isRefused = least !== undefined && way !== 'isRunning' && (isLow || isDelayed);
    const reason = isLow ? TOO_LOW(least) : TOO_LATE;
    expected.outcomes.push(isRefused ? reason : outcome);
    expected.counts[isRefused ? 'aborted' : counted][priority]++;
    const controller = new TaskController({ priority });
    if (way === 'isAborted') controllers.push(controller);
    const task = scheduler.postTask(() => run(controller, gate), {
      signal: controller.signal,
      priority: followsSignal ? undefined : priority,
      delay: isDelayed && way !== 'isRunning' ? isRefused ? 60_000 : 2 : 0,
      ref: !(isRefused && isLeft),
    });
    posted.push(task);
    waiting.add(task);
    const settle = () => waiting.delete(task);
    task.then(settle, settle);
  };
  const postAll = (isWanted) => [RUNNING, ...tasks].filter(isWanted).forEach(post);
  postAll(({ way }) => way === 'isRunning');
  await scheduler.postTask(() => {}, BACKGROUND);
  const ask = async () => {
    postAll(({ way, isDuring }) => way !== 'isRunning' && !isDuring);
    const call = least === undefined ? onIdle() : drain({ keep: least });
    postAll(({ way, isDuring }) => way !== 'isRunning' && isDuring);
    for (const controller of controllers) controller.abort(ABORTED);
    open();
    const result = await call;
    assert.equal(waiting.size, 0, 'it did not wait');
    return result;
  };
  const later = () => sleep(1).then(ask);
  const counts = await (asker === 'none' ? ask()
    : scheduler.postTask(asker === 'task' ? ask : later));
  const actual = { outcomes: await outcomes(posted), counts };
  assert.deepEqual(actual, { ...expected, counts: least && expected.counts });
}

describe('drain()', () => {
  beforeEach(() => onIdle());

  it('and onIdle() wait for all that runs, and drain() rejects and counts by a model', async () => {
    await onIdle();
    await fc.assert(fc.asyncProperty(programs, assertAsModel), { numRuns: 200 });
  });

  it('is fulfilled with zeros if there is nothing to wait for', async () => {
    for (const options of [undefined, null, {}, { keep: 'background', timeout: 0 }]) {
      assert.deepEqual(await drain(options), numbers(NONE, NONE, NONE));
    }
  });

  it('cancels idle callbacks, those that wait and those that are requested meanwhile', async () => {
    const log = [];
    requestIdleCallback(() => log.push('before'), { timeout: 1 });
    const running = scheduler.postTask(() => sleep(20));
    const drained = drain();
    const handle = requestIdleCallback(() => log.push('during'));
    assert.equal(typeof handle, 'number');
    cancelIdleCallback(handle);
    requestIdleCallback(() => log.push('during'), { timeout: 1 });
    await drained;
    await running;
    await new Promise((resolve) => requestIdleCallback(resolve));
    assert.deepEqual(log, []);
  });

  describe('at its timeout', () => {
    it('rejects all that has not settled, whose code may still run, and is idle', async () => {
      let resume;
      const log = [];
      const { signal } = new TaskController({ priority: 'background' });
      const endless = (async () => {
        for (;;) await scheduler.yield({ priority: 'background' });
      })();
      const tasks = outcomes([
        scheduler.postTask(async () => {
          await new Promise((resolve) => (resume = resolve));
          log.push('goes on');
        }),
        scheduler.postTask(() => new Promise(() => {}), { signal, priority: 'user-blocking' }),
        scheduler.wait(60_000),
        scheduler.wait(60_000, { signal }),
        endless,
      ]);
      await scheduler.postTask(() => {});
      const idle = onIdle().then(() => log.push('idle'));
      const drained = await drain({ timeout: 50 });
      assert.deepEqual(drained, numbers(NONE, NONE, counts(1, 1, 0)));
      assert.deepEqual(await tasks, Array(5).fill(TIMED_OUT(50)));
      await idle;
      resume();
      await sleep(1);
      assert.deepEqual(log, ['idle', 'goes on']);
    });

    it('leaves alone the task that asks', async () => {
      const other = outcomes([scheduler.postTask(() => new Promise(() => {}))]);
      const result = await scheduler.postTask(async () => {
        await drain({ timeout: 10 });
        return 'mine';
      });
      assert.equal(result, 'mine');
      assert.deepEqual(await other, [TIMED_OUT(10)]);
    });
  });

  describe('called again', () => {
    it('joins the one under way, and can raise the priority', async () => {
      const { task, finish } = await startedTask();
      const first = drain({ keep: 'background' });
      const tasks = outcomes(
        PRIORITIES.map((priority) => scheduler.postTask(() => priority, { priority })),
      );
      const second = drain({ keep: 'user-blocking' });
      const third = drain({ keep: 'user-visible' });
      finish();
      const expected = numbers(counts(1, 1, 0), NONE, counts(0, 1, 1));
      assert.deepEqual(await Promise.all([first, second, third]), Array(3).fill(expected));
      assert.deepEqual(await tasks,
        ['user-blocking', TOO_LOW('user-blocking'), TOO_LOW('user-blocking')]);
      await task;
    });

    it('can only bring the timeout forward', async () => {
      const tasks = outcomes([scheduler.postTask(() => new Promise(() => {}))]);
      const first = drain({ timeout: 60_000 });
      drain({ timeout: 20 });
      drain({ timeout: 90_000 });
      drain();
      await first;
      assert.deepEqual(await tasks, [TIMED_OUT(20)]);
    });
  });

  it('is ended by its signal, or by that of a later call', async () => {
    for (const joins of [false, true]) {
      const reason = new Error('enough');
      const controller = new AbortController();
      const { signal } = controller;
      const { task, finish } = await startedTask();
      const drained = joins ? [drain(), drain({ signal })] : [drain({ signal })];
      const refused = outcomes([scheduler.postTask(() => {}, { priority: 'background' })]);
      const results = Promise.all(drained.map(settled));
      controller.abort(reason);
      for (const result of await results) assert.deepEqual(result, ['rejected', reason]);
      assert.deepEqual(await refused, [TOO_LOW('user-visible')]);
      assert.equal(await scheduler.postTask(() => 'ran', { priority: 'background' }), 'ran');
      finish();
      await task;
    }
  });

  it('leaves tasks that are being aborted their reason', async () => {
    const controller = new TaskController({ priority: 'background' });
    const { signal } = controller;
    const reason = new Error('mine');
    const drained = [];
    signal.addEventListener('abort', () => drained.push(drain()));
    const tasks = [0, 1].map(() => settled(scheduler.postTask(() => {}, { signal })));
    controller.abort(reason);
    const rejected = ['rejected', reason];
    assert.deepEqual(await Promise.all(tasks), [rejected, rejected]);
    await Promise.all(drained);
  });

  it('does nothing if its signal is aborted already, or throws', async () => {
    const reason = new Error('mine');
    const { task, finish } = await startedTask();
    const throwing = { aborted: false, addEventListener() { throw reason; } };
    for (const signal of [AbortSignal.abort(reason), throwing]) {
      await assert.rejects(drain({ signal }), reason);
      assert.equal(await scheduler.postTask(() => 'ran', BACKGROUND), 'ran');
    }
    const drained = drain();
    await assert.rejects(drain({ signal: throwing, keep: 'user-blocking' }), reason);
    assert.equal(await scheduler.postTask(() => 'ran'), 'ran');
    finish();
    await drained;
    await task;
  });

  it('holds the process until its timeout, and no longer when it has ended', async () => {
    const lines = await output((root) => {
      const { drain, scheduler } = require(root);
      scheduler.postTask(() => new Promise(() => {})).catch((error) => console.log(error.name));
      drain({ timeout: 30 }).then(({ aborted }) => {
        console.log(aborted['user-visible']);
        return drain({ timeout: 2 ** 30 });
      }).then(() => console.log('ended'));
      process.on('exit', (code) => console.log('exit', code));
    });
    assert.deepEqual(lines, ['TimeoutError', '1', 'ended', 'exit 0']);
  });

  it('can be called in a nested run of the loop @nestedLoops', async () => {
    const deasync = require('deasync');
    const task = settled(scheduler.postTask(() => {
      let isOver = false;
      setTimeout(() => drain({ timeout: 20 }).then(() => (isOver = true)), 1);
      deasync.loopWhile(() => !isOver);
      return 'ran';
    }));
    assert.deepEqual(await task, ['fulfilled', 'ran']);
  });

  it('rejects 20,000 tasks in the order in which they were posted', async () => {
    const rejected = [];
    const { signal } = new TaskController({ priority: 'background' });
    const posted = Array.from({ length: 20_000 }, (_, i) => {
      const options = i % 2 === 0 ? { signal } : { priority: 'background' };
      return scheduler.postTask(() => {}, options).catch(() => rejected.push(i));
    });
    await drain();
    await Promise.all(posted);
    assert.ok(rejected.every((each, i) => each === i));
    assert.equal(rejected.length, posted.length);
  });
});

describe('what drain() rejects', () => {
  beforeEach(() => onIdle());

  it('counts as handled, whether it waits, is posted meanwhile, or runs @inspect', async () => {
    const lines = await output((root) => {
      const { SharedTask, TaskController, drain, scheduler } = require(root);
      process.on('unhandledRejection', (error) => console.log('unhandled', error));
      const { signal } = new TaskController({ priority: 'background' });
      const promises = [];
      const join = (run, options) => {
        const task = new SharedTask(run);
        promises.push(task.join(options), task.join({ ...options, signal }));
      };
      const post = () => {
        for (const options of [{ priority: 'background' }, { signal }, { delay: 60_000 }]) {
          promises.push(scheduler.postTask(() => {}, options));
        }
        join(() => {}, { priority: 'background' });
      };
      const never = () => new Promise(() => {});
      scheduler.postTask(async () => {
        promises.push(scheduler.postTask(never), scheduler.postTask(never, { signal }));
        join(never);
        await scheduler.yield({ priority: 'background' });
        // They have begun. Endless work of a higher priority keeps these two waiting.
        (async () => {
          for (;;) await scheduler.yield();
        })().catch(() => {});
        promises.push(scheduler.yield({ priority: 'background' }), scheduler.yield({ signal }));
        promises.push(scheduler.wait(60_000), scheduler.wait(60_000, { signal }));
        post();
        setTimeout(post, 1);
        drain({ timeout: 50 }).then(async () => {
          const outcomes = await Promise.allSettled(promises);
          const names = outcomes.map(({ reason }) => reason?.name);
          console.log(names.length, new Set(names));
        });
      });
    });
    assert.deepEqual(lines, ["18 Set(2) { 'TimeoutError', 'AbortError' }"]);
  });

  it('is reported as usual by promises that were derived from it', async () => {
    const lines = await output((root) => {
      const { drain, scheduler } = require(root);
      process.on('unhandledRejection', ({ message }) => console.log('unhandled:', message));
      const derived = async (promise) => {
        await promise;
      };
      derived(scheduler.postTask(() => {}, { priority: 'background' }));
      scheduler.postTask(() => {}, { delay: 1000 }).finally(() => {});
      derived(scheduler.wait(60_000));
      drain({ timeout: 10 });
    });
    assert.deepEqual(lines, [
      "unhandled: drain() runs no tasks below the priority 'user-visible'",
      'unhandled: drain() does not wait for delayed tasks',
      'unhandled: drain() timed out after 10 ms',
    ]);
  });

  it('is none of the tasks that are posted while it looks at those that wait', async () => {
    const controller = new TaskController({ priority: 'background' });
    const { signal } = controller;
    const posted = [];
    // The first one that is rejected takes all others away, and the new ones get their places.
    const respond = () => {
      controller.abort();
      posted.push(settled(scheduler.postTask(() => 'ran', { priority: 'user-blocking' })));
    };
    subscribe('uv-scheduler:task:aborted', respond);
    try {
      const waiting = [settled(scheduler.postTask(() => {}, { priority: 'background' }))];
      for (let i = 0; i < 9; i++) waiting.push(settled(scheduler.postTask(() => {}, { signal })));
      await drain();
      for (const [outcome] of await Promise.all(waiting)) assert.equal(outcome, 'rejected');
    } finally {
      unsubscribe('uv-scheduler:task:aborted', respond);
    }
    assert.deepEqual(await Promise.all(posted), Array(10).fill(['fulfilled', 'ran']));
  });

  it('is a waiting task whose priority is lowered too far meanwhile, no continuation', async () => {
    const { task, finish } = await startedTask();
    const controller = new TaskController({ priority: 'user-blocking' });
    const { signal } = controller;
    const ran = [];
    let drained;
    let outcomes;
    await scheduler.postTask(() => {
      // The tasks below wait behind this one.
      drained = drain();
      outcomes = [0, 1].map((i) => settled(scheduler.postTask(() => ran.push(i), { signal })));
      outcomes.push(settled(scheduler.postTask(() => ran.push('fixed'))));
      outcomes.push(settled(scheduler.yield({ signal })));
      controller.setPriority('user-visible');
      controller.setPriority('background');
      controller.setPriority('user-blocking');
    }, { priority: 'user-blocking' });
    finish();
    const all = await Promise.all(outcomes);
    assert.deepEqual(all.map(([how]) => how), ['rejected', 'rejected', 'fulfilled', 'fulfilled']);
    assert.match(all[0][1].message, /runs no tasks below the priority 'user-visible'/);
    assert.deepEqual(ran, ['fixed']);
    const { aborted } = await drained;
    assert.deepEqual(PRIORITIES.map((priority) => aborted[priority]), [0, 0, 2]);
    await task;
  });
});
