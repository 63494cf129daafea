'use strict';

// The public interface of one environment, put together.

const { configure } = require('./configure.js');
const { cancelIdleCallback, requestIdleCallback } = require('./idle-callbacks.js');
const { Scheduler, createScheduler } = require('./scheduler.js');
const { TaskController } = require('./task-controller.js');
const { TaskPriorityChangeEvent } = require('./task-priority-change-event.js');
const { TaskSignal } = require('./task-signal.js');

// This environment's one scheduler.
const scheduler = createScheduler();

// Names alone: that is what ES modules can see of it.
module.exports = {
  scheduler,
  createScheduler,
  configure,
  Scheduler,
  TaskController,
  TaskSignal,
  TaskPriorityChangeEvent,
  requestIdleCallback,
  cancelIdleCallback,
};
