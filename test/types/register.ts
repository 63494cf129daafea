// The globals of `uv-scheduler/register` must be usable together with TypeScript's DOM library,
// which declares some of them, too. This file is only compiled, never run.

import 'uv-scheduler/register';

export async function installed(): Promise<void> {
  const controller = new TaskController({ priority: 'background' });
  controller.setPriority('user-blocking');
  const { signal } = controller;
  await scheduler.postTask(() => {}, { signal, priority: 'user-visible', delay: 1 });
  await globalThis.scheduler.yield();
  new TaskPriorityChangeEvent('prioritychange', { previousPriority: 'background' });
  TaskSignal.any([signal], { priority: 'background' });
  cancelIdleCallback(requestIdleCallback((deadline) => deadline.timeRemaining(), { timeout: 1 }));
}
