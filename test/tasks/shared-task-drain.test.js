'use strict';

// The effects of a SharedTask's runs on the rest of the process: their errors, and how drain() and
// onIdle() count them.

const assert = require('node:assert/strict');
const { SharedTask, drain, onIdle } = require('../..');
const { controlled, started } = require('../helpers/shared-tasks.js');
const { output, settled } = require('../helpers/tasks.js');

describe('an error of a run', () => {
  it('is no unhandled rejection once no join waits', async () => {
    const lines = await output((root) => {
      const { SharedTask, monitorTasks } = require(root);
      const monitor = monitorTasks();
      monitor.enable();
      process.on('unhandledRejection', () => console.log('unhandled'));
      process.on('exit', () => console.log(monitor.priorities.background.failed));
      for (const priority of ['background', 'user-visible']) {
        const controller = new AbortController();
        const task = new SharedTask(async () => {
          controller.abort('left');
          await new Promise(setImmediate);
          throw new Error('failed');
        });
        const options = { priority, signal: controller.signal };
        task.join(options).catch((reason) => console.log(reason));
      }
    });
    assert.deepEqual(lines, ['left', 'left', '2']);
  });

  it('is one if a promise of a join() that waits has no handler', async () => {
    const lines = await output((root) => {
      const { SharedTask } = require(root);
      process.on('unhandledRejection', ({ message }) => console.log(message));
      const fail = (message) => () => {
        throw new Error(message);
      };
      new SharedTask(fail('plain')).join();
      const { signal } = new AbortController();
      new SharedTask(fail('with a signal')).join({ signal });
    });
    assert.deepEqual(lines.sort(), ['plain', 'with a signal']);
  });
});

describe('a shared task under drain() and onIdle()', () => {
  beforeEach(() => onIdle());

  it('is one task: onIdle() waits for its run', async () => {
    const { task, runs } = controlled();
    const log = [];
    const joins = [task.join(), task.join()].map((each) => each.then(() => log.push('join')));
    await started(runs);
    const idle = onIdle().then(() => log.push('idle'));
    runs[0].resolve();
    await Promise.all([...joins, idle]);
    assert.deepEqual(log, ['join', 'join', 'idle']);
  });

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
    const { task } = controlled();
    const controller = new AbortController();
    const left = settled(task.join({ priority: 'user-visible', signal: controller.signal }));
    const low = settled(task.join({ priority: 'background' }));
    const drained = drain();
    controller.abort('left');
    assert.deepEqual(await left, ['rejected', 'left']);
    const [outcome, { name }] = await low;
    assert.deepEqual([outcome, name], ['rejected', 'AbortError']);
    assert.equal((await drained).aborted.background, 1);
  });

  it('has what drain() rejects handled', async () => {
    const lines = await output((root) => {
      const { SharedTask, drain } = require(root);
      process.on('unhandledRejection', () => console.log('unhandled'));
      const { signal } = new AbortController();
      const options = { priority: 'background' };
      const stuck = new SharedTask(() => new Promise(() => {}));
      stuck.join();
      stuck.join({ signal });
      const task = new SharedTask(() => {});
      task.join(options);
      task.join({ ...options, signal });
      const drained = drain({ timeout: 10 });
      task.join(options);
      task.join({ ...options, signal });
      drained.then(({ aborted }) => console.log(JSON.stringify(aborted)));
      const timer = setInterval(() => {}, 1000);
      drained.then(() => setImmediate(() => clearInterval(timer)));
    });
    assert.deepEqual(lines, ['{"user-blocking":0,"user-visible":1,"background":3}']);
  });
});
