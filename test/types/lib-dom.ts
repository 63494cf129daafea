// TypeScript's DOM library declares the scheduler of browsers since TypeScript 6. Code that is
// written for its types must accept the package's objects, and the other way round.

import * as api from 'uv-scheduler';

declare const hosts: {
  scheduler: Scheduler;
  controller: TaskController;
  signal: TaskSignal;
  event: TaskPriorityChangeEvent;
};

export const toHosts: typeof hosts = {
  scheduler: api.scheduler,
  controller: new api.TaskController(),
  signal: api.TaskSignal.any([]),
  event: new api.TaskPriorityChangeEvent('prioritychange', { previousPriority: 'background' }),
};

// Not the controller: its signal has no priority in the library.
export const fromHosts: {
  scheduler: Pick<api.Scheduler, 'postTask' | 'yield'>;
  signal: api.TaskSignal;
  event: api.TaskPriorityChangeEvent;
} = hosts;

export const scheduler: Pick<api.Scheduler, 'postTask' | 'yield'> = globalThis.scheduler;
export const priority: api.TaskPriority = 'background' satisfies TaskPriority;
