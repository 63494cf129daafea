'use strict';

// drain(): what runs, what is rejected, what is counted, and when it ends. Random programs have all
// combinations of these, with who asks and who joins.

const assert = require('node:assert/strict');
const { setTimeout: sleep } = require('node:timers/promises');
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

// A task of each priority.
const postAll = () =>
  PRIORITIES.map((priority) => scheduler.postTask(() => priority, { priority }));

describe('drain()', () => {
  beforeEach(() => onIdle());

  it('is fulfilled with zeros if there is nothing to wait for', async () => {
    for (const options of [undefined, null, {}, { priority: 'background', timeout: 0 }]) {
      assert.deepEqual(await drain(options), numbers(NONE, NONE, NONE));
    }
  });

  for (const [priority, ran] of [['user-blocking', 1], ['user-visible', 2], ['background', 3]]) {
    it(`runs tasks of ${priority} priority and above, and rejects those below`, async () => {
      const before = postAll();
      const drained = drain({ priority });
      const during = postAll();
      const after = outcomes([...before, ...during]);
      const each = PRIORITIES.map((each, i) => (i < ran ? each : TOO_LOW(priority)));
      assert.deepEqual(await after, [...each, ...each]);
      const completed = counts(2, ran > 1 ? 2 : 0, ran > 2 ? 2 : 0);
      const aborted = counts(0, ran > 1 ? 0 : 2, ran > 2 ? 0 : 2);
      assert.deepEqual(await drained, numbers(completed, NONE, aborted));
    });
  }

  it('counts by outcome, and by the priority that a signal has at the end', async () => {
    const controller = new TaskController({ priority: 'user-visible' });
    const { signal } = controller;
    const aborting = new AbortController();
    const inside = new AbortController();
    const tasks = outcomes([
      scheduler.postTask(() => 'ran', { signal }),
      scheduler.postTask(() => Promise.reject(new Error('async')), { priority: 'user-blocking' }),
      scheduler.postTask(() => {
        throw new Error('sync');
      }),
      scheduler.postTask(() => 'never', { signal: aborting.signal }),
      scheduler.postTask(() => inside.abort(new Error('inside')), { signal: inside.signal }),
    ]);
    controller.setPriority('user-blocking');
    const drained = drain();
    aborting.abort(new Error('outside'));
    assert.deepEqual(await drained,
      numbers(counts(1, 0, 0), counts(1, 1, 0), counts(0, 2, 0)));
    assert.deepEqual(await tasks,
      ['ran', 'Error: async', 'Error: sync', 'Error: outside', 'Error: inside']);
  });

  it('counts a task as aborted that passes on the reason of its signal', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    let goOn;
    const gate = new Promise((resolve) => (goOn = resolve));
    const running = async () => {
      await gate;
      signal.throwIfAborted();
    };
    const tasks = outcomes([
      scheduler.postTask(running, { signal }),
      scheduler.postTask(running, { priority: 'user-blocking' }),
    ]);
    await scheduler.postTask(() => {}, { priority: 'background' });
    const drained = drain();
    controller.abort(new Error('left'));
    goOn();
    assert.deepEqual(await drained, numbers(NONE, counts(1, 0, 0), counts(0, 1, 0)));
    assert.deepEqual(await tasks, ['Error: left', 'Error: left']);
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

  it('does not wait for what has `ref: false`, but rejects it like the rest', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const endless = scheduler.postTask(() => new Promise((resolve) => {
      signal.addEventListener('abort', () => resolve('ended'));
    }), { ref: false });
    await scheduler.postTask(() => {});
    const late = scheduler.postTask(() => {}, { ref: false, delay: 60_000 });
    const low = scheduler.postTask(() => {}, { ref: false, priority: 'background' });
    const rejected = outcomes([late, low]);
    await drain();
    assert.deepEqual(await rejected, [TOO_LATE, TOO_LOW('user-visible')]);
    controller.abort();
    assert.equal(await endless, 'ended');
  });

  describe('at its timeout', () => {
    it('rejects all that has not settled, whose code may still run', async () => {
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
      const drained = await drain({ timeout: 50 });
      assert.deepEqual(drained, numbers(NONE, NONE, counts(1, 1, 0)));
      assert.deepEqual(await tasks, Array(5).fill(TIMED_OUT(50)));
      resume();
      await sleep(1);
      assert.deepEqual(log, ['goes on']);
      await onIdle();
    });

    it('lets onIdle() be fulfilled, which waited for what is rejected', async () => {
      const running = outcomes([scheduler.postTask(() => new Promise(() => {}))]);
      await scheduler.postTask(() => {});
      let isIdle = false;
      onIdle().then(() => (isIdle = true));
      await drain({ timeout: 0 });
      await running;
      await sleep(5);
      assert.equal(isIdle, true);
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
      const first = drain({ priority: 'background' });
      const tasks = outcomes(postAll());
      const second = drain({ priority: 'user-blocking' });
      const third = drain({ priority: 'user-visible' });
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

  it('counts a task that returns its own promise as failed', async () => {
    const task = scheduler.postTask(() => task);
    const drained = drain();
    await assert.rejects(task, TypeError);
    assert.deepEqual((await drained).failed, counts(0, 1, 0));
  });

  it('does nothing if its signal is aborted already', async () => {
    const reason = new Error('before');
    await assert.rejects(drain({ signal: AbortSignal.abort(reason) }), reason);
    assert.equal(await scheduler.postTask(() => 'ran', { priority: 'background' }), 'ran');
  });

  it('does nothing if its signal throws', async () => {
    const error = new Error('mine');
    const signal = { aborted: false, addEventListener() { throw error; } };
    await assert.rejects(drain({ signal }), error);
    assert.equal(await scheduler.postTask(() => 'ran', { priority: 'background' }), 'ran');
    const { task, finish } = await startedTask();
    const drained = drain();
    await assert.rejects(drain({ signal, priority: 'user-blocking' }), error);
    assert.equal(await scheduler.postTask(() => 'ran'), 'ran');
    finish();
    await drained;
    await task;
  });

  it('holds the process until its timeout', async () => {
    const lines = await output((root) => {
      const { drain, scheduler } = require(root);
      scheduler.postTask(() => new Promise(() => {})).catch((error) => console.log(error.name));
      drain({ timeout: 30 }).then(({ aborted }) => console.log(aborted['user-visible']));
      process.on('exit', (code) => console.log('exit', code));
    });
    assert.deepEqual(lines, ['TimeoutError', '1', 'exit 0']);
  });

  it('holds the process no longer when it has ended', async () => {
    const lines = await output((root) => {
      const { drain } = require(root);
      drain({ timeout: 2 ** 30 }).then(() => console.log('ended'));
    });
    assert.deepEqual(lines, ['ended']);
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
