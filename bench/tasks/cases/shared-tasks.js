'use strict';

// Measures what it costs to wait for the run of a shared task that is under way, beside an await of
// a plain promise: from the call until the waiting code has gone on.

const { SharedTask, scheduler } = require('../../..');
const { timePerOperation } = require('../batches');
const { OURS, above } = require('../goals');

const PLAIN = 'await of a promise';

// In ns, on Node 24 and later.
const MOST = 1000;

// The number of those who wait, and of those who wait at once.
const WAITS = 1e5;
const AT_ONCE = 1000;

// Resolves to a function that returns the promise of a row, called once for each wait.
async function open(row, promise) {
  if (row === PLAIN) return () => promise;
  const task = new SharedTask(() => promise);
  task.join();
  // The run is under way.
  await scheduler.postTask(() => {}, { priority: 'background' });
  return () => task.join();
}

async function timeSegment(row) {
  let release;
  const wait = await open(row, new Promise((resolve) => (release = resolve)));
  let waited = 0;
  const waiting = async () => {
    await wait();
    waited++;
  };
  const all = new Array(AT_ONCE);
  const start = performance.now();
  for (let i = 0; i < AT_ONCE; i++) all[i] = waiting();
  release();
  await Promise.all(all);
  const elapsed = performance.now() - start;
  if (waited !== AT_ONCE) throw new Error(`${waited} of ${AT_ONCE} went on`);
  return elapsed;
}

const sharedTaskCases = [{
  name: 'shared-task', title: `${WAITS} waits for runs under way, ${AT_ONCE} for each`,
  unit: 'ns/wait', rows: [OURS, PLAIN],
  goals: [above(PLAIN, MOST, `≤ ${MOST} ns more than an await`)],
  measure: async (row) => ({
    value: await timePerOperation({ size: AT_ONCE, count: WAITS }, () => timeSegment(row)),
  }),
}];

module.exports = { sharedTaskCases };
