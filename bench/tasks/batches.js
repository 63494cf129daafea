'use strict';

// The timing of all cases: of segments of operations, and of batches of tasks. The tasks of a batch
// are counted, and each has to run exactly once and to give its promise its result.

const { median } = require('simple-statistics');

// Calls `timeSegment()`, which returns ms, for segments of `size` operations, until there were
// `count` of these. Returns ns per operation of the median segment, because other processes on the
// machine distort the mean.
async function timePerOperation({ size, count }, timeSegment) {
  const elapsed = [];
  for (let done = 0; done < count; done += size) elapsed.push(await timeSegment());
  return (median(elapsed) * 1e6) / size;
}

// The task of a batch. Each call returns a different result.
class Counter {
  #calls = 0;

  task = () => ++this.#calls;

  // Checks that there were `count` calls, and that each of their results went to one promise.
  check(results, count) {
    if (this.#calls !== count || results.length !== count) {
      throw new Error(`${count} tasks were posted, ${this.#calls} ran`);
    }
    const seen = new Uint8Array(count + 1);
    for (const result of results) {
      if (result >= 1 && result <= count && seen[result]++ === 0) continue;
      throw new Error(`a promise got the result ${String(result)}, which was not its task's`);
    }
  }
}

// Posts `count` tasks by `post(task, i)` and awaits their promises. Returns the time until all of
// these were settled, in ms.
async function runBatch(count, post) {
  const counter = new Counter();
  const { task } = counter;
  const promises = new Array(count);
  const start = performance.now();
  for (let i = 0; i < count; i++) promises[i] = post(task, i);
  const results = await Promise.all(promises);
  const elapsed = performance.now() - start;
  counter.check(results, count);
  return elapsed;
}

// Small batches are repeated until their tasks add up to this number.
const AT_LEAST = 5e4;

// Repeats a batch of `count` tasks until at least `atLeast` have run. Returns ns per task. The
// median misses the garbage collection of small batches, few of which have any; every large batch
// has its share. `prepare()` makes a new function that posts for each batch.
const timePerTask = (count, prepare, atLeast = AT_LEAST) =>
  timePerOperation({ size: count, count: atLeast }, () => runBatch(count, prepare()));

// The number of steps that are timed together.
const SEGMENT = 1000;

// Returns ns per step, each of which is awaited before the next one.
const timeSerially = (step, count) => timePerOperation({ size: SEGMENT, count }, async () => {
  const start = performance.now();
  for (let i = 0; i < SEGMENT; i++) await step();
  return performance.now() - start;
});

module.exports = { Counter, runBatch, timePerOperation, timePerTask, timeSerially };
