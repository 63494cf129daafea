'use strict';

// Measures what it costs to wait for the run of a shared task that is under way, beside an await of
// a plain promise: from the call until the waiting code has gone on.

const { median } = require('simple-statistics');
const { SharedTask, TaskController, scheduler } = require('../../..');
const { OURS, above } = require('../goals');

const PLAIN = 'await of a promise';

// In ns, on Node 24 and later.
const MOST = 1000;

// How many wait at once.
const AT_ONCE = 1000;

// Which join() each row calls.
const JOINS = {
  [OURS]: ({ join }) => join(),
  'with a priority': ({ join }) => join({ priority: 'user-blocking' }),
  'with the priority of a signal': ({ join }, { signal }) => join({ priority: signal }),
  'with a signal': ({ join }, { signal }) => join({ signal }),
};

// What a row awaits again and again, and a function that ends all these waits.
async function open(row) {
  let release;
  const promise = new Promise((resolve) => (release = resolve));
  if (row === PLAIN) return { wait: () => promise, release };
  const task = new SharedTask(() => promise);
  const controller = new TaskController();
  task.join();
  // The run is under way.
  await scheduler.postTask(() => {}, { priority: 'background' });
  return { wait: () => JOINS[row](task, controller), release };
}

async function timeSegment(row) {
  const { wait, release } = await open(row);
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
  return (elapsed * 1e6) / AT_ONCE;
}

function sharedTaskCases({ yields }) {
  return [{
    name: 'shared-task',
    title: `${yields} waits for runs under way, ${AT_ONCE} for each`,
    unit: 'ns/wait',
    rows: [...Object.keys(JOINS), PLAIN],
    processes: 'each row',
    goals: [above(PLAIN, MOST, `≤ ${MOST} ns more than an await`)],
    measure: async (row) => {
      const segments = [];
      for (let done = 0; done < yields; done += AT_ONCE) segments.push(await timeSegment(row));
      return { value: median(segments) };
    },
  }];
}

module.exports = { sharedTaskCases };
