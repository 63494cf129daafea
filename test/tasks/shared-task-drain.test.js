'use strict';

// The ends of a SharedTask's runs: what becomes of a run that no join waits for any more, errors,
// and how drain() and onIdle() count runs.

const assert = require('node:assert/strict');
const { SharedTask, TaskSignal, currentTaskSignal, drain, onIdle, scheduler } = require('../..');
const { monitorTasks } = require('uv-scheduler/watch');
const { background, leaving, output, settled } = require('../helpers/tasks.js');

describe('a run that no join waits for', () => {
  beforeEach(() => onIdle());

  // A run that was aborted, and two joins that wait for the next one.
  async function abortedRun(options) {
    const runs = [];
    const run = () => new Promise((resolve) => runs.push(resolve));
    const task = new SharedTask(run, { abortWhenUnused: true });
    const { signal, leave } = leaving();
    settled(task.join({ signal }));
    await background();
    leave();
    const joins = [{}, { signal: new AbortController().signal }].map((each) =>
      settled(task.join({ ...options, ...each })));
    return { task, runs, joins };
  }

  it('that was aborted has its next run refused by drain()', async () => {
    const { task, runs, joins } = await abortedRun({ priority: 'background' });
    const drained = drain();
    runs[0]();
    for (const [outcome, { name }] of await Promise.all(joins)) {
      assert.deepEqual([outcome, name], ['rejected', 'AbortError']);
    }
    await drained;
    assert.deepEqual([task.isRunning, runs.length], [false, 1]);
  });

  it('that was aborted is rejected at the timeout of drain(), with the next run', async () => {
    const { task, runs, joins } = await abortedRun();
    const { aborted } = await drain({ timeout: 5 });
    for (const [outcome, { message }] of await Promise.all(joins)) {
      assert.deepEqual([outcome, message], ['rejected', 'drain() timed out after 5 ms']);
    }
    assert.equal(aborted['user-visible'], 1);
    runs[0]('too late');
    await onIdle();
    assert.deepEqual([task.isRunning, runs.length], [false, 1]);
  });

  it('has its signal aborted with an AbortError, goes on, and counts as aborted', async () => {
    const monitor = monitorTasks();
    monitor.enable();
    let reason;
    const task = new SharedTask(async () => {
      const signal = currentTaskSignal();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      await scheduler.yield();
      ({ reason } = signal);
      throw reason;
    }, { abortWhenUnused: true });
    const { signal, leave } = leaving();
    const joined = settled(task.join({ signal }));
    await background();
    leave();
    assert.deepEqual(await joined, ['rejected', 'left']);
    await onIdle();
    monitor.disable();
    assert.equal(reason.name, 'AbortError');
    assert.equal(reason.message, 'No join() waits for the shared task any more');
    const { aborted, failed } = monitor.priorities.background;
    assert.deepEqual([aborted, failed, task.isRunning], [1, 0, false]);
  });
});

describe('the signal of a run', () => {
  beforeEach(() => onIdle());

  it('is a TaskSignal with the priority of the run, and fires its changes', async () => {
    const log = [];
    let signal;
    const task = new SharedTask(async () => {
      signal = currentTaskSignal();
      const dependent = TaskSignal.any([], { priority: signal });
      for (const each of [signal, dependent]) {
        each.addEventListener('prioritychange', ({ previousPriority }) => {
          log.push([previousPriority, each.priority, task.priority]);
          // Joining in the middle of the change counts at once, and is told behind it.
          if (task.priority === 'user-visible') task.join({ priority: 'user-blocking' });
        });
      }
      await scheduler.postTask(() => log.push('posted'), { signal });
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    }, { abortWhenUnused: true });
    const joined = settled(task.join({ priority: 'background' }));
    await background();
    await background();
    settled(task.join({ priority: 'user-visible' }));
    assert.equal(signal.priority, 'user-blocking');
    assert.deepEqual(log, [
      'posted',
      ['background', 'user-visible', 'user-visible'],
      ['background', 'user-blocking', 'user-blocking'],
      ['user-visible', 'user-blocking', 'user-blocking'],
    ]);
    await drain({ timeout: 0 });
    await joined;
  });

  it('has an error of an overridden dispatchEvent reported, and changes @binding', async () => {
    const lines = await output(async (root) => {
      const { SharedTask, currentTaskSignal, scheduler } = require(root);
      const background = () => scheduler.postTask(() => {}, { priority: 'background' });
      process.on('uncaughtException', ({ message }) => console.log(message));
      const task = new SharedTask(() => {
        currentTaskSignal().dispatchEvent = () => { throw new Error('overridden'); };
        return background();
      }, { abortWhenUnused: true });
      const promise = task.join({ priority: 'background' });
      await background();
      task.join({ priority: 'user-blocking' });
      console.log(task.priority);
      await promise;
    });
    assert.deepEqual(lines, ['user-blocking', 'overridden', 'overridden']);
  });

  it('may end a join of the run by the end of the run', async () => {
    const { signal, leave } = leaving();
    const inner = new SharedTask(() => {
      currentTaskSignal().addEventListener('prioritychange', leave);
    }, { abortWhenUnused: true });
    const outer = new SharedTask(() => inner.join({ priority: 'user-blocking', signal }));
    assert.deepEqual(await settled(outer.join()), ['rejected', 'left']);
    assert.deepEqual([inner.isRunning, inner.joined], [false, 0]);
  });
});

describe('an error of a run', () => {
  it('is an unhandled rejection only if a join waits, whose promise has no handler', async () => {
    const lines = await output((root) => {
      const { SharedTask } = require(root);
      const { monitorTasks } = require(`${root}/dist/watch.js`);
      const monitor = monitorTasks();
      monitor.enable();
      process.on('unhandledRejection', ({ message }) => console.log('unhandled', message));
      process.on('exit', () => console.log(monitor.priorities.background.failed));
      const fail = (message) => () => { throw new Error(message); };
      const { signal } = new AbortController();
      new SharedTask(fail('plain')).join();
      new SharedTask(fail('with a signal')).join({ signal });
      for (const priority of ['background', 'user-visible']) {
        const controller = new AbortController();
        const task = new SharedTask(async () => {
          controller.abort('left');
          await new Promise(setImmediate);
          throw new Error('nobody waits');
        });
        const options = { priority, signal: controller.signal };
        task.join(options).catch((reason) => console.log(reason));
      }
    });
    assert.deepEqual(lines.sort(),
      ['2', 'left', 'left', 'unhandled plain', 'unhandled with a signal']);
  });
});

describe('a shared task under drain() and onIdle()', () => {
  beforeEach(() => onIdle());

  it('is refused below the priority, and runs if it was raised', async () => {
    const low = new SharedTask(() => 'low');
    const raised = new SharedTask(() => 'raised');
    const late = new SharedTask(() => 'late');
    const { signal } = new AbortController();
    const options = [{ priority: 'background' }, { priority: 'background', signal }];
    const joinLow = (task) => options.map((each) => settled(task.join(each)));
    const before = joinLow(low);
    raised.join({ priority: 'background' });
    const kept = raised.join();
    const drained = drain();
    const refused = joinLow(late);
    assert.equal(await late.join({ priority: 'user-visible' }), 'late');
    assert.equal(await kept, 'raised');
    for (const [outcome, reason] of await Promise.all([...before, ...refused])) {
      assert.equal(outcome, 'rejected');
      assert.equal(reason.name, 'AbortError');
      assert.match(reason.message, /drain\(\) runs no tasks below the priority 'user-visible'/);
    }
    const { aborted, completed } = await drained;
    assert.deepEqual([aborted.background, completed['user-visible']], [3, 2]);
    assert.equal(low.isRunning || late.isRunning, false);
    assert.equal(await low.join(), 'low');
  });

  it('is refused when the last that was urgent leaves', async () => {
    const task = new SharedTask(() => {});
    const { signal, leave } = leaving();
    const left = settled(task.join({ priority: 'user-visible', signal }));
    const low = settled(task.join({ priority: 'background' }));
    const drained = drain();
    leave();
    assert.deepEqual(await left, ['rejected', 'left']);
    const [outcome, { name }] = await low;
    assert.deepEqual([outcome, name], ['rejected', 'AbortError']);
    assert.equal((await drained).aborted.background, 1);
  });
});
