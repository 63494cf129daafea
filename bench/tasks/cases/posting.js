'use strict';

// Yields and tasks without signals, of each contender: serial yields, batches that are posted at
// once and awaited, the same in the context of an AsyncLocalStorage, as most servers use one, and
// what a task costs with many others queued, in time and in memory.

const { AsyncLocalStorage } = require('node:async_hooks');
const { Counter, runBatch, timePerTask, yieldSerially } = require('../batches');
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

const yieldCases = ({ yields }) => [
  {
    name: 'yield-outside', title: `${yields} serial yields outside any task`,
    unit: 'ns/yield', goals: YIELD_GOALS, method: 'yield',
    run: async (contender) => ({ value: await yieldSerially(contender, yields) }),
  },
  {
    name: 'yield-inside', title: `${yields} serial yields inside a task`,
    unit: 'ns/yield', goals: YIELD_GOALS, method: 'inside',
    run: async (contender) =>
      ({ value: await contender.inside(() => yieldSerially(contender, yields)) }),
  },
];

// The first pass warms up the compiler, for which a smaller batch is enough.
const WARM_UP = 1e5;

const batch = (count, { atLeast }, postOf) => async (contender, { isWarmUp }) => {
  const posted = isWarmUp ? Math.min(count, WARM_UP) : count;
  const post = postOf(contender);
  return { value: await timePerTask(posted, atLeast, () => post) };
};

const postOf = (contender) => (task) => contender.post(task);
const mixedPostOf = (contender) => (task, i) => contender.prioritized(task, i % 3);

const batchCases = (settings) => [3, 5, 6].flatMap((exponent) => {
  const count = 10 ** exponent;
  const common = { unit: 'ns/task', count, isLong: count > 1e5 };
  return [
    {
      ...common, name: `batch-1e${exponent}`,
      title: `batch of 10^${exponent} tasks of one priority`,
      goals: exponent === 5 ? BATCH_GOALS : [],
      method: 'post', run: batch(count, settings, postOf),
    },
    {
      ...common, name: `batch-mixed-1e${exponent}`,
      title: `batch of 10^${exponent} tasks of three priorities`, usesState: true,
      method: 'prioritized', run: batch(count, settings, mixedPostOf),
    },
  ];
});

const FEW = 1e3;
const MANY = 1e6;

// The number of small batches, enough to include garbage collections too.
const TIMES = 100;

async function costOf(contender, count, times) {
  let elapsed = 0;
  collect();
  for (let i = 0; i < times; i++) {
    const { start, end } = await runBatch(count, (task) => contender.post(task));
    elapsed += end - start;
  }
  return (elapsed * 1e6) / (count * times);
}

const growthCase = {
  name: 'growth', title: 'cost per task with 10^6 queued against 10^3',
  unit: 'times', details: { few: 'ns', many: 'ns' }, goals: [atMost(1.5, 'times')], isLong: true,
  method: 'post', count: MANY,
  async run(contender, { isWarmUp }) {
    const few = await costOf(contender, FEW, TIMES);
    if (isWarmUp) return null;
    const many = await costOf(contender, MANY, 1);
    return { value: many / few, details: { few, many } };
  },
};

const CONTEXT_BATCH = 1e4;

const storage = new AsyncLocalStorage();

const contextCases = ({ atLeast, yields }) => [
  {
    name: 'context-batch-1e4', title: 'batch of 10^4 tasks with an AsyncLocalStorage in use',
    unit: 'ns/task', method: 'post', count: CONTEXT_BATCH,
    async run(contender) {
      const prepare = () => postOf(contender);
      return { value: await storage.run({}, timePerTask, CONTEXT_BATCH, atLeast, prepare) };
    },
  },
  {
    name: 'context-yield',
    title: `${yields} serial yields outside any task with an AsyncLocalStorage in use`,
    unit: 'ns/yield', method: 'yield',
    run: async (contender) => ({ value: await storage.run({}, yieldSerially, contender, yields) }),
  },
];

const FIRST = 1e3;

// Bytes in JavaScript's heap, and external bytes that V8 knows of.
const memoryCase = ({ queued }) => ({
  name: 'memory', title: `heap and external memory for each of ${queued} queued tasks`,
  unit: 'bytes/task', goals: [timesAsMuch(IMMEDIATE, 1.2)],
  processes: 'each sample', maxRounds: 3,
  method: 'post',
  async run(contender) {
    // Compiled code is in the heap, too.
    await runBatch(FIRST, (task) => contender.post(task));
    const counter = new Counter();
    const promises = new Array(queued).fill(undefined);
    const { task } = counter;
    collect();
    const before = process.memoryUsage();
    for (let i = 0; i < queued; i++) promises[i] = contender.post(task);
    collect();
    const after = process.memoryUsage();
    counter.check(await Promise.all(promises), queued);
    const bytes = after.heapUsed - before.heapUsed + after.external - before.external;
    return { value: bytes / queued };
  },
});

const postingCases = (settings) => [
  ...yieldCases(settings), ...batchCases(settings), growthCase, ...contextCases(settings),
  memoryCase(settings),
];

module.exports = { postingCases };
