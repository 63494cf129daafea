'use strict';

// The settings of the event loop: a time slice lets others run, and the wait of user-visible and
// background work can be bounded. webidl/arguments.test.js tests the settings that are refused.

const assert = require('node:assert/strict');

const { TaskController, configuration, configure, scheduler } = require('../..');
const {
  assertStartsBesideChain, busy, inImmediate, orderBesideImmediates, turnsWhileBusy,
} = require('../helpers/tasks.js');

const NO_BOUNDS = { 'user-visible': Infinity, 'background': Infinity };
const DEFAULTS = { timeSlice: 5, maxWait: NO_BOUNDS };

const BACKGROUND = { priority: 'background' };

// The number of tasks of about 1 ms each that run before an immediate set before them.
async function tasksBeforeImmediate(count) {
  let started = 0;
  const task = () => {
    started++;
    const end = performance.now() + 1;
    while (performance.now() < end);
  };
  // In the check phase, so that the next one drains the tasks.
  await new Promise((resolve) => setImmediate(resolve));
  const tasks = Array.from({ length: count }, () => scheduler.postTask(task));
  const before = await new Promise((resolve) => setImmediate(() => resolve(started)));
  await Promise.all(tasks);
  assert.equal(started, count);
  return before;
}

describe('configure', () => {
  afterEach(() => configure(DEFAULTS));

  it('sets how long tasks may hold a turn of the loop', async () => {
    configure({ timeSlice: 0.5 });
    assert.equal(await tasksBeforeImmediate(30), 1);
    configure({ timeSlice: 10_000 });
    assert.equal(await tasksBeforeImmediate(30), 30);
  });

  it('lets background tasks run with any time slice', async () => {
    configure({ timeSlice: Number.MIN_VALUE });
    await scheduler.postTask(() => {}, { priority: 'background' });
  });

  it('keeps settings that are not given', async () => {
    configure({ timeSlice: 10_000 });
    configure();
    configure(null);
    configure({});
    configure({ timeSlice: undefined });
    assert.equal(await tasksBeforeImmediate(30), 30);
  });

  const bounded = {
    'background tasks where something else is always runnable': () => {
      return scheduler.postTask(() => {}, BACKGROUND);
    },
    'background tasks of a signal, from when they were queued': () => {
      const { signal } = new TaskController(BACKGROUND);
      return scheduler.postTask(() => {}, { signal });
    },
    'the continuations of background tasks': () => {
      return scheduler.postTask(() => scheduler.yield(), BACKGROUND);
    },
  };
  for (const [name, post] of Object.entries(bounded)) {
    it(`bounds the wait of ${name} @background`, async () => {
      configure({ timeSlice: 10_000, maxWait: { background: 20 } });
      // What is not given stays.
      configure({ maxWait: { 'user-visible': 10_000 } });
      configure({ maxWait: {} });
      const { before, waited } = await turnsWhileBusy(post);
      assert(before > 0, 'the task started at once');
      const least = name.startsWith('the continuations') ? 40 : 20;
      assert(waited >= least, `they waited ${waited} ms`);
    });
  }

  for (const priority of ['user-visible', 'background']) {
    it(`bounds the wait of ${priority} tasks beside a chain of continuations`, async () => {
      configure({ maxWait: { [priority]: 20 } });
      await assertStartsBesideChain({ priority });
    });
  }

  it('starts an overdue task in a check phase that user-blocking work has used up', async () => {
    configure({ timeSlice: 1, maxWait: { 'user-visible': 5 } });
    const blocking = { priority: 'user-blocking' };
    let isOver = false;
    let turns = 0;
    // User-blocking work that is never done.
    const work = () => {
      busy(2);
      if (!isOver && turns < 1000) scheduler.postTask(work, blocking);
    };
    for (let count = 0; count < 10; count++) scheduler.postTask(work, blocking);
    const again = () => {
      turns++;
      if (!isOver) setImmediate(again);
    };
    setImmediate(again);
    await scheduler.postTask(() => (isOver = true));
    assert(turns < 100, `it took ${turns} turns`);
  });

  it('starts one overdue background task at most in a check phase @background', async () => {
    configure({ timeSlice: 10_000, maxWait: { background: 5 } });
    const order = await orderBesideImmediates(BACKGROUND);
    assert.deepEqual(order, ['task', 'immediate', 'task', 'immediate', 'task']);
  });

  it('counts the wait from the post, however long the callback goes on', async () => {
    configure({ timeSlice: 10_000, maxWait: { background: 20 } });
    const order = [];
    await inImmediate(() => {
      const tasks = [scheduler.postTask(() => order.push('overdue'), BACKGROUND)];
      busy(25);
      tasks.push(scheduler.postTask(() => order.push('user-visible')));
      tasks.push(scheduler.postTask(() => order.push('young'), BACKGROUND));
      return Promise.all(tasks);
    });
    assert.deepEqual(order, ['overdue', 'user-visible', 'young']);
  });

  it('keeps user-blocking tasks ahead of overdue ones', async () => {
    configure({ timeSlice: 10_000, maxWait: { 'user-visible': 5 } });
    const order = [];
    await inImmediate(() => {
      const tasks = [scheduler.postTask(() => order.push('overdue'))];
      busy(10);
      const blocking = { priority: 'user-blocking' };
      tasks.push(scheduler.postTask(() => order.push('user-blocking'), blocking));
      return Promise.all(tasks);
    });
    assert.deepEqual(order, ['user-blocking', 'overdue']);
  });

  it('never raises tasks by default, nor once the bound is taken back @background', async () => {
    configure({ timeSlice: 10_000, maxWait: { background: 1 } });
    configure({ maxWait: { background: Infinity } });
    let hasRun = false;
    const task = scheduler.postTask(() => (hasRun = true), BACKGROUND);
    const started = performance.now();
    while (performance.now() - started < 50) {
      await new Promise((resolve) => setImmediate(resolve));
      // An immediate waits in every check phase.
      assert.equal(hasRun, false);
    }
    await task;
  });

  it('changes nothing when one of the settings is refused', async () => {
    configure({ timeSlice: 10_000 });
    assert.throws(() => configure({ timeSlice: 0.5, maxWait: { background: 0 } }), TypeError);
    assert.equal(await tasksBeforeImmediate(30), 30);
  });

  it('takes all that configuration() returns, and changes no mode', () => {
    const settings = configuration();
    configure(settings);
    assert.deepEqual(configuration(), settings);
    assert.throws(() => configure({ timeSlice: 9, mode: 'off' }), {
      code: 'ERR_INVALID_ARG_VALUE', message: new RegExp(`mode must be .*'${settings.mode}'`),
    });
    assert.deepEqual(configuration(), settings);
  });
});
