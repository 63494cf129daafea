'use strict';

// Runs of a SharedTask that no join waits for any more: their signal, and drain(). Also the errors
// of runs that would wait for themselves.

const assert = require('node:assert/strict');
const { setImmediate: turn } = require('node:timers/promises');
const { SharedTask, currentTaskSignal, drain, onIdle, scheduler } = require('../..');
const { background, controlled, leaving } = require('../helpers/shared-tasks.js');
const { output, settled } = require('../helpers/tasks.js');

describe('a run that no join waits for', () => {
  beforeEach(() => onIdle());

  it('that was aborted has its next run refused by drain()', async () => {
    const { task, runs } = controlled({ abortWhenUnused: true });
    const { signal, leave } = leaving();
    settled(task.join({ signal }));
    await background();
    leave();
    const joins = [task.join({ priority: 'background' }),
      task.join({ priority: 'background', signal: new AbortController().signal })].map(settled);
    const drained = drain();
    runs[0].resolve();
    for (const [outcome, { name }] of await Promise.all(joins)) {
      assert.deepEqual([outcome, name], ['rejected', 'AbortError']);
    }
    await drained;
    assert.equal(task.isRunning, false);
    assert.equal(runs.length, 1);
  });

  it('that was aborted is rejected at the timeout of drain(), with the next run', async () => {
    const { task, runs } = controlled({ abortWhenUnused: true });
    const { signal, leave } = leaving();
    settled(task.join({ signal }));
    await background();
    leave();
    const joins = [task.join(), task.join({ signal: new AbortController().signal })].map(settled);
    const { aborted } = await drain({ timeout: 5 });
    for (const [outcome, { message }] of await Promise.all(joins)) {
      assert.deepEqual([outcome, message], ['rejected', 'drain() timed out after 5 ms']);
    }
    assert.equal(aborted['user-visible'], 1);
    assert.equal(task.isRunning, false);
    runs[0].resolve('too late');
    await onIdle();
    assert.equal(runs.length, 1);
  });

  const withIdle = (main) => `(root) => {
    const api = require(root);
    const idle = () => api.scheduler.postTask(() => {}, { priority: 'background' });
    (${main})({ ...api, idle });
  }`;

  it('has its signal aborted with an AbortError, and counts as aborted @binding', async () => {
    const lines = await output(withIdle(async ({ SharedTask, idle, monitorTasks, onIdle,
      scheduler, currentTaskSignal }) => {
      const monitor = monitorTasks();
      monitor.enable();
      const task = new SharedTask(async () => {
        const signal = currentTaskSignal();
        console.log(signal.constructor.name, signal.aborted);
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        // Its code goes on, and it can yield.
        await scheduler.yield();
        console.log(signal.aborted, signal.reason.name, signal.reason.message);
        throw signal.reason;
      }, { abortWhenUnused: true });
      const controllers = [new AbortController(), new AbortController()];
      const joins = controllers.map(({ signal }) => task.join({ signal }).catch(console.log));
      await idle();
      controllers[0].abort('one');
      console.log(task.joined);
      controllers[1].abort('two');
      await Promise.all(joins);
      await onIdle();
      const { aborted, failed } = monitor.priorities.background;
      console.log(aborted, failed, task.isRunning);
    }));
    assert.deepEqual(lines, ['TaskSignal false', '1', 'one', 'two',
      'true AbortError No join() waits for the shared task any more', '1 0 false']);
  });

  it('has a TaskSignal with its priority, which fires the changes @binding', async () => {
    const lines = await output(withIdle(async ({ SharedTask, TaskSignal, idle, scheduler,
      currentTaskSignal }) => {
      let signal;
      const task = new SharedTask(async () => {
        signal = currentTaskSignal();
        const dependent = TaskSignal.any([], { priority: signal });
        for (const each of [signal, dependent]) {
          each.addEventListener('prioritychange', ({ previousPriority }) => {
            console.log(previousPriority, each.priority, task.priority);
            // Joining in the middle of the change counts at once, and is told behind it.
            if (task.priority === 'user-visible') {
              task.join({ priority: 'user-blocking' });
              console.log(task.priority);
            }
          });
        }
        await scheduler.postTask(() => console.log('posted'), { signal });
        await scheduler.wait(60_000, { signal }).catch(({ name }) => console.log(name));
      }, { abortWhenUnused: true });
      const controller = new AbortController();
      task.join({ priority: 'background', signal: controller.signal }).catch(() => {});
      await idle();
      await idle();
      task.join({ priority: 'user-visible', signal: controller.signal }).catch(() => {});
      console.log(signal.priority);
      process.exit();
    }));
    assert.deepEqual(lines, [
      'posted',
      'background user-visible user-visible',
      'user-blocking',
      'background user-blocking user-blocking',
      'user-visible user-blocking user-blocking',
      'user-blocking',
    ]);
  });

  it('has an error of an overridden dispatchEvent reported, and changes @binding', async () => {
    const lines = await output(withIdle(async ({ SharedTask, idle, currentTaskSignal }) => {
      process.on('uncaughtException', ({ message }) => console.log(message));
      const task = new SharedTask(() => {
        currentTaskSignal().dispatchEvent = () => {
          throw new Error('overridden');
        };
        return idle();
      }, { abortWhenUnused: true });
      const promise = task.join({ priority: 'background' });
      await idle();
      task.join({ priority: 'user-blocking' });
      console.log(task.priority);
      await promise;
    }));
    assert.deepEqual(lines, ['user-blocking', 'overridden', 'overridden']);
  });
});

describe('a join that is ended by a listener which hears of the end of its run', () => {
  it('is rejected, and leaves the run alone', async () => {
    const { signal, leave } = leaving();
    let listened;
    const inner = new SharedTask(() => {
      listened = currentTaskSignal();
      listened.addEventListener('prioritychange', leave);
    }, { abortWhenUnused: true });
    const outer = new SharedTask(() => inner.join({ priority: 'user-blocking', signal }));
    assert.deepEqual(await settled(outer.join()), ['rejected', 'left']);
    assert.equal(inner.isRunning, false);
    assert.equal(inner.joined, 0);
  });
});

describe('a run that would wait for itself', () => {
  beforeEach(() => onIdle());

  const CYCLE = { code: 'ERR_UV_SCHEDULER_CYCLE', name: 'Error' };

  it('is told by an error which ones wait for each other', async () => {
    const tasks = ['a', 'b', undefined].map((label, index) => {
      return new SharedTask(() => tasks[(index + 1) % 3].join(), { label });
    });
    for (const [first, name] of [[1, "'a'"], [0, 'an unnamed task']]) {
      await assert.rejects(tasks[first].join(), ({ code, message }) => {
        return code === CYCLE.code && message.includes(`the run of ${name} would wait for itself`);
      });
    }
    assert.ok(tasks.every(({ isRunning }) => !isRunning));
    const late = new SharedTask(async function menu() {
      await turn();
      await scheduler.yield();
      await late.join();
    });
    await assert.rejects(late.join(), {
      ...CYCLE,
      message: "Failed to execute 'join' on 'SharedTask': the run of 'menu' would wait for " +
        "itself ('menu' → 'menu').",
    });
  });

  it('through many others is told the first and the last', async () => {
    const tasks = Array.from({ length: 2000 }, (_, index) => {
      return new SharedTask(() => tasks[(index + 1) % tasks.length].join(), { label: `${index}` });
    });
    await assert.rejects(tasks[0].join(), {
      ...CYCLE,
      message: /\('1999' → '0' → '1' → '2' → … → '1996' → '1997' → '1998' → '1999'\)\.$/,
    });
  });

  it('may join what many wait for', async () => {
    const leaf = new SharedTask(() => scheduler.yield().then(() => 'leaf'));
    const tasks = Array.from({ length: 300 }, () => new SharedTask(() => leaf.join()));
    const all = new SharedTask(() => Promise.all(tasks.map(({ join }) => join())));
    const results = await Promise.all([all.join(), ...tasks.map(({ join }) => join())]);
    assert.ok(results.flat().every((each) => each === 'leaf'));
  });
});
