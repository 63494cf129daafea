'use strict';

// Provides the tasks that every contender runs. It counts them and checks that each ran exactly
// once and that its promise got its result.

const { median } = require('simple-statistics');
const { load } = require('./contenders.js');

// Returns the `measure` of a case whose rows are contenders. The case uses this method of theirs
// with `count` tasks waiting. The sample is null if that would take too long.
function measureContender({ method, count = 1 }, measure) {
  return async (name, options) => {
    const contender = await load(name);
    return count > (contender.limits?.[method] ?? Infinity) ? null : measure(contender, options);
  };
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

// Posts `count` tasks by `post(task, i)` and awaits their promises. Returns the times in ms: when
// the batch began, the last task was posted, and all promises were settled.
async function runBatch(count, post) {
  const counter = new Counter();
  const { task } = counter;
  const promises = new Array(count);
  const start = performance.now();
  for (let i = 0; i < count; i++) promises[i] = post(task, i);
  const posted = performance.now();
  const results = await Promise.all(promises);
  const end = performance.now();
  counter.check(results, count);
  return { start, posted, end };
}

// Repeats a batch of `count` tasks until at least `atLeast` have run. Returns ns per task of the
// median batch, because other processes on the machine distort the mean. The median misses the
// garbage collection of small batches, few of which have any; every large batch has its share.
// `prepare()` makes a new function that posts for each batch.
async function timePerTask(count, atLeast, prepare) {
  const times = Math.max(1, Math.ceil(atLeast / count));
  const elapsed = [];
  for (let i = 0; i < times; i++) {
    const { start, end } = await runBatch(count, prepare());
    elapsed.push(end - start);
  }
  return (median(elapsed) * 1e6) / count;
}

// The number of yields that are timed together.
const SEGMENT = 1000;

// Returns ns per yield of the median segment, as timePerTask() does for small batches.
async function yieldSerially(contender, count) {
  const elapsed = [];
  for (let done = 0; done < count; done += SEGMENT) {
    const start = performance.now();
    for (let i = 0; i < SEGMENT; i++) await contender.yield();
    elapsed.push(performance.now() - start);
  }
  return (median(elapsed) * 1e6) / SEGMENT;
}

module.exports = { Counter, measureContender, runBatch, timePerTask, yieldSerially };
