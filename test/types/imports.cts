// Every form in which a CommonJS module may import the package.

import uv = require('uv-scheduler');
import * as all from 'uv-scheduler';
import { scheduler, type TaskPriority } from 'uv-scheduler';
import whole from 'uv-scheduler';

export const schedulers: uv.Scheduler[] = [
  uv.scheduler, all.scheduler, scheduler, whole.scheduler,
];
export const made: all.Scheduler = uv.createScheduler();
export const priority: TaskPriority = 'background';

export async function later(): Promise<all.TaskSignal> {
  const { TaskController } = await import('uv-scheduler');
  return new TaskController().signal;
}

// @ts-expect-error: no such export.
export { TaskQueue } from 'uv-scheduler';
