'use strict';

// shouldYield(): what it answers while something else waits.

const assert = require('node:assert/strict');
const { isDeepStrictEqual } = require('node:util');
const { TaskController, configure, scheduler, shouldYield } = require('../..');
const { PRIORITIES, answerInSilence, busy } = require('../helpers/tasks.js');

// A slice that a slow machine does not use up.
const LONG = 10_000;
const SHORT = 5;

// The answers that code of each priority gets, with `set` called before it asks. Time passes before
// it asks, as an answer may be repeated for code that asks often.
async function advice(set, priorities = PRIORITIES) {
  const answers = {};
  for (const priority of priorities) {
    await scheduler.postTask(async () => {
      const undo = set();
      busy(0.2);
      answers[priority] = shouldYield();
      await undo?.();
    }, { priority });
  }
  return answers;
}

const answers = (ub, uv, bg) => ({ 'user-blocking': ub, 'user-visible': uv, 'background': bg });

describe('shouldYield()', () => {
  beforeEach(() => configure({ timeSlice: LONG }));
  after(() => configure({ timeSlice: SHORT }));

  async function adviceInSilence(set, expected) {
    const isExpected = (actual) => isDeepStrictEqual(actual, expected);
    assert.deepEqual(await answerInSilence(() => advice(set), isExpected), expected);
  }

  for (const [queued, expected] of Object.entries({
    'user-blocking': answers(false, true, true),
    'user-visible': answers(false, false, true),
    'background': answers(false, false, false),
  })) {
    it(`counts a queued ${queued} task for code that it would run before`, async () => {
      await adviceInSilence(() => {
        const controller = new TaskController();
        const { signal } = controller;
        const task = scheduler.postTask(() => {}, { priority: queued, signal }).catch(() => {});
        return () => {
          controller.abort();
          return task;
        };
      }, expected);
    });
  }

  it('counts an immediate for background code alone @background', async () => {
    await adviceInSilence(() => {
      const each = setImmediate(() => {});
      return () => clearImmediate(each);
    }, answers(false, false, true));
  });

  it('knows a task at once that the code itself has posted, also in a fast loop', async () => {
    // An answer is repeated some times, so not each number of questions ends before a repetition.
    for (let count = 1000; count < 1010; count++) {
      const ask = () => scheduler.postTask(() => {
        for (let i = 0; i < count; i++) if (shouldYield()) return 'too early';
        const task = scheduler.postTask(() => {}, { priority: 'user-blocking' });
        return [shouldYield(), task];
      });
      const actual = await answerInSilence(ask, (answer) => answer !== 'too early');
      assert.equal(actual[0], true);
      await actual[1];
    }
  });

  // Asks so often that the answer is repeated.
  const askOften = () => Array.from({ length: 4 }, () => shouldYield());

  // The two reactions follow each other in one run of the microtasks.
  it('gives a promise reaction no answer that was given in another task @background', async () => {
    let release;
    const released = new Promise((resolve) => (release = resolve));
    const asking = (priority, ask) => scheduler.postTask(() => released.then(ask), { priority });
    const urgent = asking('user-blocking', askOften);
    const other = asking('background', shouldYield);
    await scheduler.postTask(() => {}, { priority: 'background' });
    const immediate = setImmediate(() => {});
    release();
    const [before, behind] = await Promise.all([urgent, other]);
    clearImmediate(immediate);
    assert.deepEqual([before.includes(true), behind], [false, true]);
  });

  it('gives a callback no answer of the task which started it @async-ids-of-turns', async () => {
    configure({ timeSlice: SHORT });
    const answer = await scheduler.postTask(() => new Promise((resolve) => {
      process.nextTick(() => resolve(shouldYield()));
      askOften();
      busy(2 * SHORT);
    }));
    assert.equal(answer, true);
  });

  it('is asked in loops at the fourth call at the latest @userVisibleContinuations', async () => {
    const { port1, port2 } = new MessageChannel();
    port2.on('message', () => {});
    try {
      const most = await scheduler.postTask(async () => {
        let most = 0;
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
        return most;
      });
      assert.ok(most <= 4, `it was asked again at the call ${most}`);
    } finally {
      port1.close();
    }
  });

  it('knows at once that a queued task was raised, also in a fast loop', async () => {
    const controller = new TaskController({ priority: 'background' });
    const [before, behind, raised] = await scheduler.postTask(() => {
      const task = scheduler.postTask(() => {}, { signal: controller.signal });
      const answers = askOften();
      controller.setPriority('user-blocking');
      return [answers.includes(true), shouldYield(), task];
    });
    await raised;
    assert.deepEqual([before, behind], [false, true]);
  });
});
