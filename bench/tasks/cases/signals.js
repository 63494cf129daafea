'use strict';

// Measures tasks with signals: many tasks of one signal, and controllers that affect many waiting
// tasks at once, by setPriority() on their signal and by its abort.

const { median } = require('simple-statistics');
const { Counter, Rejections, runBatch, timePerTask } = require('../batches');
const { atMost } = require('../goals');

const oneSignal = ({ atLeast }) => ({
  name: 'signal-1e3',
  title: 'batch of 10^3 tasks of one TaskSignal',
  unit: 'ns/task',
  count: 1e3,
  async run(contender) {
    const prepare = () => {
      const { signal } = contender.controller();
      return (task) => contender.signalled(task, signal);
    };
    return { value: await timePerTask(1e3, atLeast, prepare) };
  },
});

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
  name: 'set-priority-1e6',
  title: 'setPriority() on a signal with 10^6 waiting tasks',
  unit: 'µs/call',
  goals: [atMost(50, 'µs')],
  isLong: true,
  method: 'setPriority',
  count: 1e6,
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
  name: 'abort-1e5',
  title: 'abort of a signal with 10^5 waiting tasks, until all are rejected',
  unit: 'µs/task',
  details: { call: 'µs/task' },
  goals: [atMost(1.5, 'µs')],
  count: MANY,
  async run(contender) {
    const controller = contender.controller();
    const { signal } = controller;
    const counter = new Counter();
    const rejections = new Rejections();
    const promises = Array.from({ length: MANY }, () =>
      rejections.expect(contender.signalled(counter.task, signal), signal));
    const all = Promise.all(promises);
    const start = performance.now();
    controller.abort();
    const called = performance.now();
    await all;
    const end = performance.now();
    await contender.post(() => {});
    counter.checkNone();
    rejections.check(MANY);
    const perTask = (time) => (time * 1e3) / MANY;
    return { value: perTask(end - start), details: { call: perTask(called - start) } };
  },
};

const signalCases = (settings) => [
  oneSignal(settings),
  setPriority,
  abort,
].map((each) => ({ method: 'signalled', usesState: true, ...each }));

module.exports = { signalCases };
