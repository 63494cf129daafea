'use strict';

// shouldYield(): when an answer is repeated. core/tests/ judges what it is while others wait.

const assert = require('node:assert/strict');
const { TaskController, configure, scheduler, shouldYield } = require('../..');
const { busy } = require('../helpers/tasks.js');
const { createTestScheduler } = require('uv-scheduler/testing');

const SLICE = 5;

// Asks so often that the answer is repeated.
const askOften = () => Array.from({ length: 4 }, () => shouldYield());

describe('shouldYield()', () => {
  let test;
  beforeEach(() => (test = createTestScheduler()));
  afterEach(() => test.stop());

  it('is true whenever a slice is used up', async () => {
    const times = [];
    scheduler.postTask(async () => {
      for (let i = 0; i < 40; i++) {
        test.spend(0.5);
        if (!shouldYield()) continue;
        times.push(test.now);
        await scheduler.yield();
      }
    });
    await test.flush();
    assert.deepEqual(times, [1, 2, 3, 4].map((count) => count * SLICE));
  });

  it('knows a task at once that the code itself has posted, also in a fast loop', async () => {
    // An answer is repeated some times, so not each number of questions ends before a repetition.
    for (let count = 1000; count < 1010; count++) {
      const before = [];
      let behind;
      scheduler.postTask(() => {
        for (let i = 0; i < count; i++) before.push(shouldYield());
        scheduler.postTask(() => {}, { priority: 'user-blocking' });
        behind = shouldYield();
      });
      await test.flush();
      assert.deepEqual([before.includes(true), behind], [false, true]);
    }
  });

  // The two reactions follow each other in one run of the microtasks.
  it('gives a promise reaction no answer that was given in another task', async () => {
    let release;
    const released = new Promise((resolve) => (release = resolve));
    const found = {};
    const asking = (priority, ask) => scheduler.postTask(() =>
      released.then(() => (found[priority] = ask())), { priority });
    asking('user-blocking', askOften);
    asking('background', shouldYield);
    await test.flush();
    scheduler.postTask(() => {});
    release();
    await test.flush();
    assert.deepEqual([found['user-blocking'].includes(true), found.background], [false, true]);
  });

  it('gives a callback no answer of the task which started it @async-ids-of-turns', async () => {
    let answer;
    scheduler.postTask(() => {
      process.nextTick(() => (answer = shouldYield()));
      askOften();
      test.spend(2 * SLICE);
    });
    await test.flush();
    assert.equal(answer, true);
  });

  it('knows at once that a queued task was raised, also in a fast loop', async () => {
    const controller = new TaskController({ priority: 'background' });
    let before;
    let behind;
    scheduler.postTask(() => {
      scheduler.postTask(() => {}, { signal: controller.signal });
      before = askOften().includes(true);
      controller.setPriority('user-blocking');
      behind = shouldYield();
    });
    await test.flush();
    assert.deepEqual([before, behind], [false, true]);
  });
});

describe('shouldYield() on the loop of the host', () => {
  before(() => configure({ timeSlice: 10_000 }));
  after(() => configure({ timeSlice: SLICE }));

  it('sees ready I/O at the fourth call at the latest @userVisibleContinuations', async () => {
    const { port1, port2 } = new MessageChannel();
    port2.on('message', () => {});
    let most = 0;
    await scheduler.postTask(async () => {
      // After each number of quick rows, as answers may be repeated in a rhythm.
      for (let quick = 30; quick < 50; quick++) {
        for (let row = 0; row < quick; row++) shouldYield();
        port1.postMessage(0);
        let slow = 0;
        do {
          busy(0.2);
          slow++;
        } while (!shouldYield());
        most = Math.max(most, slow);
        await new Promise(setImmediate);
      }
    });
    port1.close();
    assert.ok(most <= 4, `it was asked again at the call ${most}`);
  });
});
