'use strict';

// Posts a batch of tasks at once and waits until all their promises are settled, with one priority
// and with three in turn.

const { ROWS } = require('../contenders.js');
const { timesAsFast } = require('../goals.js');
const { measureContender, timePerTask } = require('../batches.js');

const GOALS = [
  timesAsFast('timers/promises setImmediate', 1.5),
  timesAsFast('scheduler-polyfill', 2.5),
  timesAsFast('React scheduler', 1),
  timesAsFast('fastq', 1.2),
];

// The first pass warms up the compiler, for which a smaller batch is enough.
const WARM_UP = 1e5;

function batch({ name, title, method, count, goals, usesState }, { atLeast }) {
  const measure = async (contender, { isWarmUp }) => {
    const post = method === 'post'
      ? (task) => contender.post(task)
      : (task, i) => contender.prioritized(task, i % 3);
    const posted = isWarmUp ? Math.min(count, WARM_UP) : count;
    return { value: await timePerTask(posted, atLeast, () => post) };
  };
  return {
    name,
    title,
    unit: 'ns/task',
    rows: ROWS[method],
    goals,
    usesState,
    isLong: count > 1e5,
    measure: measureContender({ method, count }, measure),
  };
}

function batchCases(settings) {
  return [2, 3, 4, 5, 6].flatMap((exponent) => {
    const count = 10 ** exponent;
    const one = {
      name: `batch-1e${exponent}`,
      title: `batch of 10^${exponent} tasks of one priority`,
      method: 'post',
      count,
      goals: exponent === 5 ? GOALS : [],
    };
    const mixed = {
      name: `batch-mixed-1e${exponent}`,
      title: `batch of 10^${exponent} tasks of three priorities`,
      method: 'prioritized',
      count,
      goals: [],
      usesState: true,
    };
    return [batch(one, settings), batch(mixed, settings)];
  });
}

module.exports = { batchCases };
