'use strict';

// Controllers that affect many waiting tasks at once: setPriority() on their signal, and its abort.

const { median } = require('simple-statistics');
const { atMost } = require('../goals.js');
const { Counter, Rejections, runBatch } = require('../batches.js');

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
    method: 'signalled',
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

function controllerCases() {
  return [
    ...[0, 1, 2, 3, 4, 5, 6].map(setPriority),
    abort(3),
    abort(5),
  ].map((each) => ({ ...each, usesState: true }));
}

module.exports = { controllerCases };
