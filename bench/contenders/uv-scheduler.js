'use strict';

// uv-scheduler as a contender, used through its public API.

const { TaskController, scheduler } = require('../..');

const PRIORITIES = ['user-blocking', 'user-visible', 'background'];

module.exports = {
  post: (task) => scheduler.postTask(task),
  prioritized: (task, level) => scheduler.postTask(task, { priority: PRIORITIES[level] }),
  yield: () => scheduler.yield(),
  inside: (callback) => scheduler.postTask(callback),
  controller: () => new TaskController(),
  signalled: (task, signal) => scheduler.postTask(task, { signal }),
  setPriority: (controller, level) => controller.setPriority(PRIORITIES[level]),
  delayed: (task, delay) => scheduler.postTask(task, { delay }),
};
