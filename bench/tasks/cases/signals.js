'use strict';

// Measures tasks with signals: many tasks of one signal, many signals with one task each, tasks
// that are aborted as soon as they are posted; and controllers that affect many waiting tasks at
// once, by setPriority() on their signal and by its abort.

const { median } = require('simple-statistics');
const { Counter, Rejections, runBatch, timePerTask } = require('../batches.js');
const { atMost } = require('../goals.js');

const ABORTED = 1e4;

function oneSignal(exponent, { atLeast }) {
  const count = 10 ** exponent;
  return {
    name: `signal-1e${exponent}`,
    title: `batch of 10^${exponent} tasks of one TaskSignal`,
    unit: 'ns/task',
    count,
    async run(contender) {
      const prepare = () => {
        const { signal } = contender.controller();
        return (task) => contender.signalled(task, signal);
      };
      return { value: await timePerTask(count, atLeast, prepare) };
    },
  };
}

function manySignals({ signals }) {
  return {
    name: 'signals',
    title: `${signals} signals with a task each, made for it`,
    unit: 'ns/signal',
    maxRounds: 3,
    async run(contender, { isWarmUp }) {
      const count = isWarmUp ? signals / 10 : signals;
      const { start, end } = await runBatch(count, (task) => {
        return contender.signalled(task, contender.controller().signal);
      });
      return { value: ((end - start) * 1e6) / count };
    },
  };
}

async function postAndAbort(contender) {
  const counter = new Counter();
  const rejections = new Rejections();
  const promises = new Array(ABORTED);
  const start = performance.now();
  for (let i = 0; i < ABORTED; i++) {
    const controller = contender.controller();
    const { signal } = controller;
    promises[i] = rejections.expect(contender.signalled(counter.task, signal), signal);
    controller.abort();
  }
  await Promise.all(promises);
  const elapsed = performance.now() - start;
  // Waits, because a task that runs in spite of its abort does so later.
  await contender.post(() => {});
  counter.checkNone();
  rejections.check(ABORTED);
  return { value: (elapsed * 1e6) / ABORTED };
}

// How often setPriority() changes the priority and restores it.
const CALLS = 100;

const LEVELS = [2, 1];

// Times setPriority() synchronously, while the tasks wait. Returns µs per call, from the median of
// all changes and restores.
function timeCalls(contender, controller) {
  const elapsed = [];
  for (let i = 0; i < CALLS; i++) {
    const start = performance.now();
    for (const level of LEVELS) contender.setPriority(controller, level);
    elapsed.push(performance.now() - start);
  }
  return (median(elapsed) * 1e3) / LEVELS.length;
}

function setPriority(exponent) {
  const count = 10 ** exponent;
  return {
    name: `set-priority-1e${exponent}`,
    title: `setPriority() on a signal with 10^${exponent} waiting tasks`,
    unit: 'µs/call',
    goals: exponent === 6 ? [atMost(50, 'µs')] : [],
    isLong: count > 1e5,
    method: 'setPriority',
    count,
    async run(contender, { isWarmUp }) {
      const posted = isWarmUp ? Math.min(count, 1e4) : count;
      const controller = contender.controller();
      let value;
      await runBatch(posted, (task, i) => {
        const promise = contender.signalled(task, controller.signal);
        // All tasks are posted, and none has run.
        if (i === posted - 1) value = timeCalls(contender, controller);
        return promise;
      });
      return { value };
    },
  };
}

function abort(exponent) {
  const count = 10 ** exponent;
  return {
    name: `abort-1e${exponent}`,
    title: `abort of a signal with 10^${exponent} waiting tasks, until all are rejected`,
    unit: 'µs/task',
    details: { call: 'µs/task' },
    goals: exponent === 5 ? [atMost(1.5, 'µs')] : [],
    count,
    async run(contender) {
      const controller = contender.controller();
      const { signal } = controller;
      const counter = new Counter();
      const rejections = new Rejections();
      const promises = new Array(count);
      for (let i = 0; i < count; i++) {
        promises[i] = rejections.expect(contender.signalled(counter.task, signal), signal);
      }
      const all = Promise.all(promises);
      const start = performance.now();
      controller.abort();
      const called = performance.now();
      await all;
      const end = performance.now();
      await contender.post(() => {});
      counter.checkNone();
      rejections.check(count);
      return {
        value: ((end - start) * 1e3) / count,
        details: { call: ((called - start) * 1e3) / count },
      };
    },
  };
}

const signalCases = (settings) => [
  oneSignal(3, settings),
  oneSignal(5, settings),
  manySignals(settings),
  {
    name: 'post-and-abort',
    title: '10^4 times a signal, a task of it and its abort',
    unit: 'ns/task',
    run: postAndAbort,
  },
  ...[0, 1, 2, 3, 4, 5, 6].map(setPriority),
  abort(3),
  abort(5),
].map((each) => ({ method: 'signalled', usesState: true, ...each }));

module.exports = { signalCases };
