'use strict';

// Measures tasks with signals: many tasks of one signal, and controllers that affect many waiting
// tasks at once, by setPriority() on their signal and by its abort.

const { median } = require('simple-statistics');
const { TaskController, scheduler } = require('../../..');
const { Counter, runBatch, timePerTask } = require('../batches');
const { OURS, atMost } = require('../goals');

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

// The number of times that setPriority() changes the priority and restores it.
const CALLS = 100;

const PRIORITIES = ['background', 'user-visible'];

// Times setPriority() synchronously, while the tasks wait. Returns µs per call, from the median of
// all changes and restores.
function timeCalls(controller) {
  const elapsed = [];
  for (let i = 0; i < CALLS; i++) {
    const start = performance.now();
    for (const priority of PRIORITIES) controller.setPriority(priority);
    elapsed.push(performance.now() - start);
  }
  return (median(elapsed) * 1e3) / PRIORITIES.length;
}

const setPriority = {
  name: 'set-priority-1e6', title: 'setPriority() on a signal with 10^6 waiting tasks',
  unit: 'µs/call', rows: [OURS], goals: [atMost(50, 'µs')],
  async measure(row, { isWarmUp }) {
    const posted = isWarmUp ? 1e4 : 1e6;
    const controller = new TaskController();
    const { signal } = controller;
    let value;
    await runBatch(posted, (task, i) => {
      const promise = scheduler.postTask(task, { signal });
      // All tasks are posted, and none has run.
      if (i === posted - 1) value = timeCalls(controller);
      return promise;
    });
    return { value };
  },
};

const MANY = 1e5;

const abort = {
  name: 'abort-1e5', title: 'abort of a signal with 10^5 waiting tasks, until all are rejected',
  unit: 'µs/task', rows: [OURS], goals: [atMost(1.5, 'µs')],
  async measure() {
    const controller = new TaskController();
    const { signal } = controller;
    const counter = new Counter();
    const errors = [];
    const all = Promise.all(Array.from({ length: MANY }, () =>
      scheduler.postTask(counter.task, { signal }).catch((error) => void errors.push(error))));
    const start = performance.now();
    controller.abort();
    await all;
    const value = (performance.now() - start) * 1e3 / MANY;
    await scheduler.postTask(() => {});
    counter.check([], 0);
    if (errors.length !== MANY) throw new Error(`${errors.length} of ${MANY} were rejected`);
    const wrong = errors.find((error) => error !== signal.reason);
    if (wrong !== undefined) throw wrong;
    return { value };
  },
};

module.exports = { signalCases: [oneSignal, setPriority, abort] };
