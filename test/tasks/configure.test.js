'use strict';

// The settings of the event loop: a time slice lets others run, and the wait of user-visible and
// background work can be bounded. webidl/arguments.test.js tests the settings that are refused.

const assert = require('node:assert/strict');

const { configuration, configure, scheduler } = require('../..');
const { MOST_BUSY, busy } = require('../helpers/tasks.js');

const DEFAULTS = { timeSlice: 5, maxWait: { 'user-visible': Infinity, 'background': Infinity } };

// The number of tasks of about 1 ms each that run before an immediate set before them.
async function tasksBeforeImmediate(count) {
  let started = 0;
  const task = () => {
    started++;
    busy(1);
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

  for (const priority of ['user-visible', 'background']) {
    it(`bounds the wait of ${priority} tasks beside a chain of continuations`, async () => {
      configure({ maxWait: { [priority]: 20 } });
      // A setting that is not given stays.
      configure({ maxWait: {} });
      let isOver = false;
      const chain = scheduler.postTask(async () => {
        const end = performance.now() + MOST_BUSY;
        while (!isOver && performance.now() < end) {
          busy(0.2);
          await scheduler.yield();
        }
        return isOver;
      });
      await new Promise(setImmediate);
      await scheduler.postTask(() => (isOver = true), { priority });
      assert.ok(await chain, 'the task was not started beside the chain');
    });
  }

  it('takes all that configuration() returns, keeps what is not given, and changes no mode', () => {
    const settings = configuration();
    configure(settings);
    for (const nothing of [undefined, null, {}, { timeSlice: undefined }]) configure(nothing);
    assert.throws(() => configure({ timeSlice: 9, maxWait: { background: 0 } }), TypeError);
    assert.deepEqual(configuration(), settings);
    assert.throws(() => configure({ timeSlice: 9, mode: 'off' }), {
      code: 'ERR_INVALID_ARG_VALUE', message: new RegExp(`mode must be .*'${settings.mode}'`),
    });
    assert.deepEqual(configuration(), settings);
  });
});
