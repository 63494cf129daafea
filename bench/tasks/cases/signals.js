'use strict';

// Measures tasks with signals: many tasks of one signal, and controllers that affect many waiting
// tasks at once, by setPriority() on their signal and by its abort.

const { median } = require('simple-statistics');
const { Counter, runBatch, timePerTask } = require('../batches');
const { atMost } = require('../goals');

const oneSignal = {
  name: 'signal-1e3', title: 'batch of 10^3 tasks of one TaskSignal', unit: 'ns/task',
  method: 'signalled', count: 1e3,
  async run(contender) {
    const prepare = () => {
      const { signal } = contender.controller();
      return (task) => contender.signalled(task, signal);
    };
    return { value: await timePerTask(1e3, prepare) };
  },
};

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

const setPriority = {
  name: 'set-priority-1e6', title: 'setPriority() on a signal with 10^6 waiting tasks',
  unit: 'µs/call', goals: [atMost(50, 'µs')], maxRounds: 3,
  method: 'setPriority', count: 1e6,
  async run(contender, { isWarmUp }) {
    const posted = isWarmUp ? 1e4 : 1e6;
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

const MANY = 1e5;

const abort = {
  name: 'abort-1e5', title: 'abort of a signal with 10^5 waiting tasks, until all are rejected',
  unit: 'µs/task', goals: [atMost(1.5, 'µs')],
  method: 'signalled', count: MANY,
  async run(contender) {
    const controller = contender.controller();
    const { signal } = controller;
    const counter = new Counter();
    const errors = [];
    const all = Promise.all(Array.from({ length: MANY }, () =>
      contender.signalled(counter.task, signal).catch((error) => void errors.push(error))));
    const start = performance.now();
    controller.abort();
    await all;
    const value = (performance.now() - start) * 1e3 / MANY;
    await contender.post(() => {});
    counter.check([], 0);
    if (errors.length !== MANY) throw new Error(`${errors.length} of ${MANY} were rejected`);
    // Node's own errors have the reason as their cause.
    const wrong = errors.find((error) => ![error, error.cause].includes(signal.reason));
    if (wrong !== undefined) throw wrong;
    return { value };
  },
};

module.exports = { signalCases: [oneSignal, setPriority, abort] };
