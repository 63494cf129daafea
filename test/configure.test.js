'use strict';

// The settings of the event loop: their checks, and that a time slice is what lets others run.

const assert = require('node:assert/strict');

const { configure, scheduler } = require('..');

const DEFAULT_SLICE = 5;

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

describe('configure', () => {
  afterEach(() => configure({ timeSlice: DEFAULT_SLICE }));

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
