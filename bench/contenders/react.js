'use strict';

// React's scheduler as a contender. It uses setImmediate in Node, runs many tasks in one callback,
// and has no signals. Its tasks have no promises, so each gets one here.

const scheduler = require('scheduler');

const PRIORITIES = [
  scheduler.unstable_UserBlockingPriority,
  scheduler.unstable_NormalPriority,
  scheduler.unstable_LowPriority,
];

function schedule(task, priority, options) {
  return new Promise((resolve) => {
    // The callback must not return a function, because React would call it.
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
