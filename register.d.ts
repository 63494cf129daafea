/**
 * `require('uv-scheduler/register')` installs the API as globals, as in browsers. Globals that
 * exist already are kept.
 */

import type * as api from './index';

declare global {
  // If TypeScript's DOM library is loaded, its types take precedence.
  var scheduler: typeof globalThis extends { onmessage: any; scheduler: infer Dom }
    ? Dom
    : api.Scheduler;
  var Scheduler: typeof globalThis extends { onmessage: any; Scheduler: infer Dom }
    ? Dom
    : typeof api.Scheduler;
  var TaskController: typeof globalThis extends { onmessage: any; TaskController: infer Dom }
    ? Dom
    : typeof api.TaskController;
  var TaskSignal: typeof globalThis extends { onmessage: any; TaskSignal: infer Dom }
    ? Dom
    : typeof api.TaskSignal;
  var TaskPriorityChangeEvent: typeof globalThis extends { onmessage: any; TaskPriorityChangeEvent: infer Dom }
    ? Dom
    : typeof api.TaskPriorityChangeEvent;

  function requestIdleCallback(
    callback: (deadline: api.IdleDeadline) => unknown,
    options?: api.IdleRequestOptions | null,
  ): number;
  function cancelIdleCallback(handle: number): void;
}

export {};
