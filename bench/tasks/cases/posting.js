'use strict';

// Yields and tasks without signals, of each contender: serial yields, batches that are posted at
// once and awaited, the same in the context of an AsyncLocalStorage, as most servers use one, and
// what a task costs with many others queued, in time and in memory.

const { AsyncLocalStorage } = require('node:async_hooks');
const { Counter, runBatch, timePerTask, timeSerially } = require('../batches');
const { collect } = require('../../harness/processes');
const { atMost, timesAsFast, timesAsMuch } = require('../goals');

const IMMEDIATE = 'timers/promises setImmediate';

const YIELD_GOALS = [
  timesAsFast('timers/promises scheduler.yield', 3),
  timesAsFast('scheduler-polyfill', 3.5),
];

const BATCH_GOALS = [
  timesAsFast(IMMEDIATE, 1.5),
  timesAsFast('scheduler-polyfill', 2.5),
  timesAsFast('React scheduler', 1),
  timesAsFast('fastq', 1.2),
];

const storage = new AsyncLocalStorage();

// Each calls `time()`, and resolves to what that does.
const outside = (contender, time) => time();
const inside = (contender, time) => contender.inside(time);
const inContext = (contender, time) => storage.run({}, time);

const YIELDS = 1e5;

const yieldCases = [
  { name: 'yield-outside', where: 'outside any task', goals: YIELD_GOALS, around: outside },
  {
    name: 'yield-inside', where: 'inside a task', goals: YIELD_GOALS, method: 'inside',
    around: inside,
  },
  {
    name: 'context-yield', where: 'outside any task with an AsyncLocalStorage in use',
    around: inContext,
  },
].map(({ where, around, ...one }) => ({
  title: `${YIELDS} serial yields ${where}`, unit: 'ns/yield', method: 'yield', ...one,
  run: async (contender) =>
    ({ value: await around(contender, () => timeSerially(contender.yield, YIELDS)) }),
}));

// The first pass warms up the compiler, for which a smaller batch is enough.
const WARM_UP = 1e5;

const postOf = (contender) => (task) => contender.post(task);
const mixedPostOf = (contender) => (task, i) => contender.prioritized(task, i % 3);

const ONE = { kind: 'batch', of: 'of one priority', method: 'post', prepare: postOf };
const MIXED = {
  kind: 'batch-mixed', of: 'of three priorities', method: 'prioritized', prepare: mixedPostOf,
};

const batchCases = [
  { exponent: 3, ...ONE },
  { exponent: 3, ...MIXED },
  { exponent: 5, ...ONE, goals: BATCH_GOALS },
  { exponent: 5, ...MIXED },
  { exponent: 6, ...ONE },
  {
    ...ONE, exponent: 4, kind: 'context-batch', of: 'with an AsyncLocalStorage in use',
    around: inContext,
  },
].map(({ exponent, kind, of, prepare, around = outside, ...one }) => {
  const count = 10 ** exponent;
  return {
    ...one,
    name: `${kind}-1e${exponent}`, title: `batch of 10^${exponent} tasks ${of}`,
    unit: 'ns/task', count,
    async run(contender, { isWarmUp }) {
      const posted = isWarmUp ? Math.min(count, WARM_UP) : count;
      const post = prepare(contender);
      return { value: await around(contender, () => timePerTask(posted, () => post)) };
    },
  };
});

const FEW = 1e3;
const MANY = 1e6;

// The number of small batches, enough to include garbage collections too.
const TIMES = 100;

async function costOf(contender, count, times) {
  let elapsed = 0;
  collect();
  for (let i = 0; i < times; i++) {
    elapsed += await runBatch(count, (task) => contender.post(task));
  }
  return (elapsed * 1e6) / (count * times);
}

const growthCase = {
  name: 'growth', title: 'cost per task with 10^6 queued against 10^3',
  unit: 'times', goals: [atMost(1.5, 'times')],
  method: 'post', count: MANY,
  async run(contender, { isWarmUp }) {
    const few = await costOf(contender, FEW, TIMES);
    if (isWarmUp) return null;
    const many = await costOf(contender, MANY, 1);
    return { value: many / few };
  },
};

const FIRST = 1e3;
const QUEUED = 1e5;

// Bytes in JavaScript's heap, and external bytes that V8 knows of.
const memoryCase = {
  name: 'memory', title: `heap and external memory for each of ${QUEUED} queued tasks`,
  unit: 'bytes/task', goals: [timesAsMuch(IMMEDIATE, 1.2)],
  isNewEachTime: true,
  method: 'post',
  async run(contender) {
    // Compiled code is in the heap, too.
    await runBatch(FIRST, (task) => contender.post(task));
    const counter = new Counter();
    const promises = new Array(QUEUED).fill(undefined);
    const { task } = counter;
    collect();
    const before = process.memoryUsage();
    for (let i = 0; i < QUEUED; i++) promises[i] = contender.post(task);
    collect();
    const after = process.memoryUsage();
    counter.check(await Promise.all(promises), QUEUED);
    const bytes = after.heapUsed - before.heapUsed + after.external - before.external;
    return { value: bytes / QUEUED };
  },
};

const postingCases = [...yieldCases, ...batchCases, growthCase, memoryCase];

module.exports = { postingCases };
