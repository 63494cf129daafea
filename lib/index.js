'use strict';

// The public interface of one environment, put together.

const { configure } = require('./configure.js');
const { cancelIdleCallback, requestIdleCallback } = require('./idle-callbacks.js');
const { Scheduler, createScheduler } = require('./scheduler.js');
const { TaskController } = require('./task-controller.js');
const { TaskPriorityChangeEvent } = require('./task-priority-change-event.js');
const { TaskSignal } = require('./task-signal.js');

module.exports = {
  scheduler: createScheduler(),
  createScheduler,
  configure,
  Scheduler,
  TaskController,
  TaskSignal,
  TaskPriorityChangeEvent,
  requestIdleCallback,
  cancelIdleCallback,
};
