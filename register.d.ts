/**
 * `require('uv-scheduler/register')` installs the API as globals, as a browser has them. What
 * exists already stays.
 */

import type * as api from './index';

declare global {
  var scheduler: api.Scheduler;
  var Scheduler: typeof api.Scheduler;
  var TaskController: typeof api.TaskController;
  var TaskSignal: typeof api.TaskSignal;
  var TaskPriorityChangeEvent: typeof api.TaskPriorityChangeEvent;
  var requestIdleCallback: typeof api.requestIdleCallback;
  var cancelIdleCallback: typeof api.cancelIdleCallback;
}

export {};
