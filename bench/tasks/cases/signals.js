'use strict';

// Measures tasks with signals: many tasks of one signal, many signals with one task each, and tasks
// that are aborted as soon as they are posted.

const { Counter, Rejections, runBatch, timePerTask } = require('../batches.js');

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

function signalCases(settings) {
  return [
    oneSignal(3, settings),
    oneSignal(5, settings),
    manySignals(settings),
    {
      name: 'post-and-abort',
      title: '10^4 times a signal, a task of it and its abort',
      unit: 'ns/task',
      run: postAndAbort,
    },
  ].map((each) => ({ ...each, method: 'signalled', usesState: true }));
}

module.exports = { signalCases };
