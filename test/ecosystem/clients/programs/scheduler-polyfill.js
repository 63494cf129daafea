'use strict';

// scheduler-polyfill, loaded behind register, keeps the scheduler that exists.

const { busy, log } = require('../../../fixtures/order.js');
const api = require('../../../..');

// The line that a program on Node needs.
globalThis.self = globalThis;

require('scheduler-polyfill');

const { TaskController, TaskPriorityChangeEvent, scheduler } = globalThis;
log(scheduler === api.scheduler ? 'kept' : 'replaced');
log(TaskController === api.TaskController ? 'kept' : 'replaced');
log(TaskPriorityChangeEvent === api.TaskPriorityChangeEvent ? 'kept' : 'replaced');
log(Object.hasOwn(scheduler, 'yield') ? 'patched' : 'untouched');

setImmediate(() => {
  const { signal } = new TaskController({ priority: 'background' });
  setTimeout(() => log('timer'), 0);
  scheduler.postTask(() => log('background'), { signal });
  scheduler.postTask(() => log('user-visible'));
  scheduler.postTask(() => log('user-blocking'), { priority: 'user-blocking' });
  // Now the timer is due.
  busy(5);
});
