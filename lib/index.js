'use strict';

// The public exports.

const { configure } = require('./configure.js');
const { cancelIdleCallback, requestIdleCallback } = require('./idle-callbacks.js');
const { Scheduler, createScheduler } = require('./scheduler.js');
const { TaskController } = require('./task-controller.js');
const { TaskPriorityChangeEvent } = require('./task-priority-change-event.js');
const { TaskSignal } = require('./task-signal.js');

const scheduler = createScheduler();

// Shorthand names only: ES modules can detect no other form.
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
