'use strict';

// React's scheduler as a contender, which uses setImmediate in Node. Its tasks have no promises, so
// each gets one here. It runs many tasks in one callback, and has no signals.

const scheduler = require('scheduler');

const PRIORITIES = [
  scheduler.unstable_UserBlockingPriority,
  scheduler.unstable_NormalPriority,
  scheduler.unstable_LowPriority,
];

function schedule(task, priority, options) {
  return new Promise((resolve) => {
    // What the callback returns would be called: it returns nothing.
    scheduler.unstable_scheduleCallback(priority, () => {
      resolve(task());
    }, options);
  });
}

module.exports = {
  post: (task) => schedule(task, scheduler.unstable_NormalPriority),
  prioritized: (task, level) => schedule(task, PRIORITIES[level]),
  yield: () => schedule(() => {}, scheduler.unstable_NormalPriority),
  inside: (callback) => schedule(callback, scheduler.unstable_NormalPriority),
  delayed: (task, delay) => schedule(task, scheduler.unstable_NormalPriority, { delay }),
};
