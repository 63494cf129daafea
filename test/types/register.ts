// The globals of uv-scheduler/register must be usable as values and as types, with TypeScript's DOM
// library, which declares some of them, and without.

import 'uv-scheduler/register';
import * as api from 'uv-scheduler';

// True if both types are the same, not only assignable.
type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;

function same<A, B>(_proof: Same<A, B>): void {}

// The results of tasks are inferred, also where the DOM library has `Promise<any>`.
export async function results(): Promise<void> {
  const number = scheduler.postTask(() => 1);
  same<typeof number, Promise<number>>(true);
  const inherited = scheduler.yield({ signal: 'inherit', priority: 'background' });
  same<typeof inherited, Promise<void>>(true);
  await globalThis.scheduler.yield();
}

// Every interface is also a type.
export function types(
  one: Scheduler, controller: TaskController, signal: TaskSignal, event: TaskPriorityChangeEvent,
): api.TaskPriority[] {
  same<typeof scheduler, Scheduler>(true);
  same<typeof controller.signal, TaskSignal>(true);
  signal.onprioritychange = ({ previousPriority }) => {
    same<typeof previousPriority, api.TaskPriority>(true);
  };
  signal.addEventListener('prioritychange', ({ previousPriority }) => {
    same<typeof previousPriority, api.TaskPriority>(true);
  });
  void one.postTask(() => {}, { signal });
  requestIdleCallback((deadline: IdleDeadline) => deadline.didTimeout, null);
  return [controller.signal.priority, signal.priority, event.previousPriority];
}

// The types of arguments have names, with the DOM library and without.
export function named(): void {
  same<TaskPriority, api.TaskPriority>(true);
  same<keyof TaskSignalEventMap, 'abort' | 'prioritychange'>(true);
  const priority: TaskPriority = 'background';
  const init: TaskControllerInit = { priority };
  const controller = new TaskController(init);
  const options: SchedulerPostTaskOptions = {
    priority,
    delay: 1,
    label: 'an extension',
    signal: controller.signal,
  };
  const callback: SchedulerPostTaskCallback = () => 1;
  void scheduler.postTask(callback, options);
  void api.scheduler.postTask(callback, options);
  const anyInit: TaskSignalAnyInit = { priority: controller.signal };
  TaskSignal.any([], anyInit);
  api.TaskSignal.any([], anyInit);
  const eventInit: TaskPriorityChangeEventInit = { previousPriority: priority, bubbles: true };
  new TaskPriorityChangeEvent('prioritychange', eventInit);
  new api.TaskPriorityChangeEvent('prioritychange', eventInit);
  const idle: IdleRequestCallback = (deadline) => deadline.didTimeout;
  const idleOptions: IdleRequestOptions = { timeout: 1, ref: false };
  cancelIdleCallback(requestIdleCallback(idle, idleOptions));
  api.cancelIdleCallback(api.requestIdleCallback(idle, idleOptions));
}

// Globals and exports are the same objects, so each is assignable to the other.
export function exchanged(): void {
  const toExports: [
    api.Scheduler, api.TaskController, api.TaskSignal, api.TaskPriorityChangeEvent,
  ] = [
    scheduler, new TaskController(), TaskSignal.any([]),
    new TaskPriorityChangeEvent('prioritychange', { previousPriority: 'background' }),
  ];
  const toGlobals: [Scheduler, TaskController, TaskSignal, TaskPriorityChangeEvent] = toExports;
  void toGlobals;
}
