'use strict';

// The hint of reportSlowTasks(): which waits a fairness key would have shortened.

const assert = require('node:assert/strict');
const { controllerFor } = require('uv-scheduler/http');
const { scheduler } = require('../..');
const { PRIORITIES } = require('../helpers/tasks.js');
const { collectReports, useClock } = require('../helpers/watch.js');

// The bound in ms.
const WAIT = 100;

describe('a report on a wait', () => {
  const clock = useClock();

  // A chain that goes on `pieces` times for so many ms, with a yield before each.
  async function goOn(pieces, ms) {
    for (let i = 0; i < pieces; i++) {
      await scheduler.yield();
      clock.spend(ms);
    }
  }

  // A chain whose task posts the waiting one.
  const chain = (options = {}, pieces = 40, ms = 10) => (postLate) => {
    scheduler.postTask(() => Promise.all([postLate(), goOn(pieces, ms)]), options);
  };

  const { signal } = controllerFor(new AbortController().signal, { priority: 'background' });
  const CASES = {
    'names the key if a chain took longer than the bound': PRIORITIES.map((priority) =>
      ['fairnessKey', chain({ priority }), { priority }]),
    'names the key if the chain has no task': [['fairnessKey', (postLate) => {
      postLate();
      goOn(40, 10);
    }]],
    'has no hint if the chain is more urgent':
      [[undefined, chain({ priority: 'user-blocking' })]],
    'has no hint if one piece is long by itself': [[undefined, chain({}, 1, 3 * WAIT)]],
    'has no hint if other tasks took the time': [[undefined, (postLate) => {
      for (let i = 0; i < 40; i++) clock.post(10);
      postLate();
    }]],
    'has no hint if each of several chains was short': [[undefined, (postLate) => {
      for (let i = 0; i < 80; i++) scheduler.postTask(() => goOn(2, 2));
      postLate();
    }]],
    // In both, the task waits because other work of its key, or without one, has had its share.
    'has no hint if the chain has a key': [[undefined, (postLate) => {
      clock.post(4 * WAIT);
      chain({ fairnessKey: 'a' })(postLate);
    }]],
    'has no hint if the task has a key': [[undefined, (postLate) => {
      clock.post(4 * WAIT, { fairnessKey: 'a' });
      chain()(postLate);
    }, { fairnessKey: 'a' }]],
    'has no hint if a request of controllerFor() waits': [[undefined, (postLate) => {
      clock.post(3 * WAIT);
      chain({ signal })(postLate);
    }, { signal }]],
  };
  for (const [title, cases] of Object.entries(CASES)) {
    it(title, async () => {
      for (const [hint, work, options] of cases) {
        const reports = collectReports({ duration: Infinity, wait: WAIT });
        work(() => scheduler.postTask(() => {}, { label: 'late', ...options }));
        await clock.run();
        const found = reports.filter(({ label }) => label === 'late');
        assert.deepEqual(found.map((report) => report.hint), [hint]);
      }
    });
  }
});
