'use strict';

// The settings of the event loop: their checks, that a time slice is what lets others run, and that
// the wait of background tasks can be bounded.

const assert = require('node:assert/strict');

const { TaskController, configure, scheduler } = require('..');

const DEFAULTS = { timeSlice: 5, backgroundTimeout: Infinity };

const BACKGROUND = { priority: 'background' };

// How many of a flood of tasks of about 1 ms run before an immediate that was there first.
async function tasksBeforeImmediate(count) {
  let started = 0;
  const task = () => {
    started++;
    const end = performance.now() + 1;
    while (performance.now() < end);
  };
  // From inside the check phase, so that the tasks are drained in the next one.
  await new Promise((resolve) => setImmediate(resolve));
  const tasks = Array.from({ length: count }, () => scheduler.postTask(task));
  const before = await new Promise((resolve) => setImmediate(() => resolve(started)));
  await Promise.all(tasks);
  assert.equal(started, count);
  return before;
}

// How long something was awaited while an immediate was always waiting, and how many ran.
async function turnsBeforeBackground(begin) {
  const started = performance.now();
  let before = 0;
  let isOver = false;
  const again = () => {
    before++;
    if (!isOver) setImmediate(again);
  };
  setImmediate(again);
  await begin();
  isOver = true;
  return { before, waited: performance.now() - started };
}

describe('configure', () => {
  afterEach(() => configure(DEFAULTS));

  it('sets how long tasks hold a turn of the loop', async () => {
    configure({ timeSlice: 0.5 });
    assert.equal(await tasksBeforeImmediate(30), 1);
    configure({ timeSlice: 10_000 });
    assert.equal(await tasksBeforeImmediate(30), 30);
  });

  it('runs background tasks however short the slice is', async () => {
    configure({ timeSlice: Number.MIN_VALUE });
    await scheduler.postTask(() => {}, { priority: 'background' });
  });

  it('leaves a setting alone that is not given', async () => {
    configure({ timeSlice: 10_000 });
    configure();
    configure(null);
    configure({});
    configure({ timeSlice: undefined });
    assert.equal(await tasksBeforeImmediate(30), 30);
  });

  it('bounds the wait of background tasks where something else is always runnable', async () => {
    configure({ timeSlice: 10_000, backgroundTimeout: 20 });
    const turns = await turnsBeforeBackground(() => scheduler.postTask(() => {}, BACKGROUND));
    assert(turns.before > 0, 'the task started at once');
    assert(turns.waited >= 20, `the task waited ${turns.waited} ms`);
  });

  it('bounds the wait of the continuations of background tasks', async () => {
    configure({ timeSlice: 10_000, backgroundTimeout: 20 });
    const turns = await turnsBeforeBackground(() =>
      scheduler.postTask(() => scheduler.yield(), BACKGROUND));
    assert(turns.waited >= 40, `the task and its continuation waited ${turns.waited} ms`);
  });

  it('bounds the wait of background tasks of a signal, from when they were queued', async () => {
    configure({ timeSlice: 10_000, backgroundTimeout: 20 });
    const { signal } = new TaskController({ priority: 'background' });
    const turns = await turnsBeforeBackground(() => scheduler.postTask(() => {}, { signal }));
    assert(turns.waited >= 20, `the task waited ${turns.waited} ms`);
  });

  it('lets background tasks that have waited go before younger user-visible ones', async () => {
    configure({ timeSlice: 10_000, backgroundTimeout: 20 });
    const order = [];
    const old = scheduler.postTask(() => order.push('old background'), BACKGROUND);
    // Whatever the time, tasks of a higher priority are runnable.
    const started = performance.now();
    const keepBusy = async () => {
      while (performance.now() - started < 40) await scheduler.yield();
      const tasks = [
        scheduler.postTask(() => order.push('young background'), BACKGROUND),
        scheduler.postTask(() => order.push('user-visible')),
      ];
      order.push('posted');
      await Promise.all(tasks);
    };
    await scheduler.postTask(keepBusy);
    await old;
    assert.deepEqual(order, ['posted', 'old background', 'user-visible', 'young background']);
  });

  it('never raises background tasks by default, nor once the bound is taken back', async () => {
    configure({ timeSlice: 10_000, backgroundTimeout: 1 });
    configure({ backgroundTimeout: Infinity });
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
    assert.throws(() => configure({ timeSlice: 0.5, backgroundTimeout: 0 }), TypeError);
    assert.equal(await tasksBeforeImmediate(30), 30);
  });

  for (const value of [0, -1, NaN, '5', null, 5n, {}, true]) {
    it(`refuses the background timeout ${typeof value} ${String(value)}`, () => {
      assert.throws(() => configure({ backgroundTimeout: value }), {
        name: 'TypeError',
        message: /'configure'.*backgroundTimeout.*milliseconds.*or Infinity.*received/,
      });
    });
  }

  for (const value of [0, -1, NaN, Infinity, '5', null, 5n, {}, true]) {
    it(`refuses the time slice ${typeof value} ${String(value)}`, () => {
      assert.throws(() => configure({ timeSlice: value }), {
        name: 'TypeError',
        message: /'configure'.*timeSlice.*milliseconds.*received/,
      });
    });
  }

  it('refuses options that are no object', () => {
    for (const options of [5, 'timeSlice', true, Symbol('options')]) {
      assert.throws(() => configure(options), { name: 'TypeError', message: /options/ });
    }
  });
});
