// Every form in which an ES module may import a CommonJS package.

import uv from 'uv-scheduler';
import * as all from 'uv-scheduler';
import { scheduler, type TaskPriority } from 'uv-scheduler';

export const schedulers: all.Scheduler[] = [uv.scheduler, all.scheduler, scheduler];
export const made: uv.Scheduler = uv.createScheduler();
export const priority: TaskPriority = 'background';

export async function later(): Promise<all.TaskSignal> {
  const { TaskController, default: whole } = await import('uv-scheduler');
  void whole.scheduler.yield();
  await import('uv-scheduler/register');
  return new TaskController().signal;
}

// @ts-expect-error: no such export.
export { TaskQueue } from 'uv-scheduler';
// @ts-expect-error: the package does not export its files.
export * from 'uv-scheduler/lib/index.js';
