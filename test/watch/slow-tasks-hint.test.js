'use strict';

// The hint of reportSlowTasks(): which waits a fairness key would have shortened.

const assert = require('node:assert/strict');
const { controllerFor } = require('uv-scheduler/http');
const { scheduler } = require('../..');
const { LIMIT } = require('../helpers/programs.js');
const { PRIORITIES, busy } = require('../helpers/tasks.js');
const { firstReport, separateTests } = require('../helpers/watch.js');

// The bound in ms.
const WAIT = 100;

describe('a report on a wait', () => {
  separateTests();

  // A chain that goes on `pieces` times for so many ms, with a yield before each.
  async function goOn(pieces, ms) {
    for (let i = 0; i < pieces; i++) {
      await scheduler.yield();
      busy(ms);
    }
  }

  // The hint of the report on a task that waits for some work, which posts the task.
  async function hintOf(work, options = {}) {
    const report = firstReport(({ label }) => label === 'late', { duration: Infinity, wait: WAIT });
    await work(() => scheduler.postTask(() => {}, { label: 'late', ...options }));
    return (await report).hint;
  }

  // A chain whose task posts the waiting one.
  const chain = (options = {}, pieces = 40, ms = 10) => (postLate) => {
    return scheduler.postTask(() => Promise.all([postLate(), goOn(pieces, ms)]), options);
  };

  for (const priority of PRIORITIES) {
    it(`names the key if a chain took longer than the bound, at ${priority}`, async () => {
      assert.equal(await hintOf(chain({ priority }), { priority }), 'fairnessKey');
    }).timeout(LIMIT);
  }

  it('names the key if the chain has no task', async () => {
    const work = (postLate) => Promise.all([postLate(), goOn(40, 10)]);
    assert.equal(await hintOf(work), 'fairnessKey');
  }).timeout(LIMIT);

  const { signal } = controllerFor(new AbortController().signal, { priority: 'background' });
  const WITHOUT = {
    'the chain is more urgent': [chain({ priority: 'user-blocking' })],
    'one piece is long by itself': [chain({}, 1, 3 * WAIT)],
    'other tasks took the time': [(postLate) => {
      for (let i = 0; i < 40; i++) scheduler.postTask(() => busy(10));
      return postLate();
    }],
    'each of several chains was short': [(postLate) => {
      for (let i = 0; i < 80; i++) scheduler.postTask(() => goOn(2, 2));
      return postLate();
    }],
    // In both, the task waits because other work of its key, or without one, has had its share.
    'the chain has a key': [(postLate) => {
      scheduler.postTask(() => busy(4 * WAIT));
      return chain({ fairnessKey: 'a' })(postLate);
    }],
    'the task has a key': [(postLate) => {
      scheduler.postTask(() => busy(4 * WAIT), { fairnessKey: 'a' });
      return chain()(postLate);
    }, { fairnessKey: 'a' }],
    'a request of controllerFor() waits': [(postLate) => {
      scheduler.postTask(() => busy(3 * WAIT));
      return chain({ signal })(postLate);
    }, { signal }],
  };
  for (const [condition, [work, options]] of Object.entries(WITHOUT)) {
    it(`has no hint if ${condition}`, async () => {
      assert.equal(await hintOf(work, options), undefined);
    }).timeout(LIMIT);
  }
});
