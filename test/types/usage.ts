// The declarations of the package, and the types that they must infer.

import {
  Scheduler, SharedTask, TaskController, TaskPriorityChangeEvent, TaskSignal, cancelIdleCallback,
  configure, createScheduler, pieces, requestIdleCallback, scheduler, wait,
} from 'uv-scheduler';
import type {
  IdleDeadline, IdleScope, PiecesOptions, SchedulerPostTaskOptions,
  SchedulerYieldOptions, SharedTaskJoinOptions, SharedTaskOptions, TaskPriority,
} from 'uv-scheduler';

// True if both types are the same, not only assignable.
type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;

function same<A, B>(_proof: Same<A, B>): void {}

// The results of tasks are inferred, and thenables are followed.
export async function results(): Promise<void> {
  const number = scheduler.postTask(() => 1);
  same<typeof number, Promise<number>>(true);
  const text = scheduler.postTask(async () => 'text');
  same<typeof text, Promise<string>>(true);
  const nothing = scheduler.postTask(() => {});
  same<typeof nothing, Promise<void>>(true);
  const continuation = scheduler.yield();
  same<typeof continuation, Promise<void>>(true);
  same<ReturnType<typeof wait>, Promise<void>>(true);
  same<typeof scheduler, Scheduler>(true);
  same<ReturnType<typeof createScheduler>, Scheduler>(true);
  await Promise.all([number, text, nothing, continuation]);
}

// The items of a source keep their type.
export async function items(
  rows: readonly { name: string }[],
  stream: AsyncIterable<Uint8Array>,
  promises: Set<Promise<number>>,
  signal: AbortSignal,
): Promise<void> {
  for await (const row of pieces(rows)) same<typeof row, { name: string }>(true);
  for await (const chunk of pieces(stream)) same<typeof chunk, Uint8Array>(true);
  for await (const value of pieces(promises)) same<typeof value, number>(true);
  for await (const [key, value] of pieces(new Map([['a', 1]]))) {
    same<typeof key, string>(true);
    same<typeof value, number>(true);
  }
  const options: (PiecesOptions | null | undefined)[] = [
    undefined, null, {}, { priority: 'background' }, { signal }, { priority: undefined, signal },
    { priority: 'inherit' },
  ];
  for (const each of options) await pieces(rows, each).return?.();
  // @ts-expect-error A number is no iterable.
  pieces(7);
  // @ts-expect-error No such signal.
  pieces(rows, { signal: 'inherit' });
}

// The result of a shared task is inferred, and join() needs no receiver.
export async function shared(signal: TaskSignal, priority: TaskPriority): Promise<void> {
  const menu = new SharedTask(async () => ({ dishes: 1 }));
  same<typeof menu, SharedTask<{ dishes: number }>>(true);
  const { join } = menu;
  for (const result of [await menu.join(), await join()]) {
    same<typeof result, { dishes: number }>(true);
  }
  const members: [TaskPriority, number, boolean] = [menu.priority, menu.joined, menu.isRunning];
  const options: (SharedTaskOptions | null | undefined)[] = [
    undefined, null, {}, { priority }, { label: 'menu' }, { abortWhenUnused: true },
    { priority: undefined, label: undefined, abortWhenUnused: undefined },
  ];
  for (const each of options) new SharedTask(() => 1, each);
  const joins: (SharedTaskJoinOptions | null | undefined)[] = [
    undefined, null, {}, { priority }, { priority: 'inherit' }, { priority: signal }, { signal },
    { priority: 'inherit', signal: AbortSignal.timeout(1) },
    { priority: undefined, signal: undefined },
  ];
  for (const each of joins) await menu.join(each);
  class Counting extends SharedTask<void> {}
  void [members, new Counting(() => {}).join];
  // @ts-expect-error: needs a callback.
  new SharedTask();
  // @ts-expect-error: its own priority inherits nothing.
  new SharedTask(() => {}, { priority: 'inherit' });
  // @ts-expect-error: misspelt.
  await menu.join({ prority: 'background' });
  // @ts-expect-error: read-only.
  menu.joined = 0;
}

// Every option by itself, and all together; undefined and null where the contract accepts them.
export function options(signal: AbortSignal, priority: TaskPriority): void {
  const { signal: taskSignal } = new TaskController();
  const tasks: (SchedulerPostTaskOptions | null | undefined)[] = [
    undefined, null, {}, { priority }, { signal }, { signal: taskSignal }, { delay: 1 },
    { signal, priority, delay: 0 },
    { signal, priority, delay: 1, maxWait: Infinity },
    { signal: undefined, priority: undefined, delay: undefined, maxWait: undefined },
  ];
  for (const each of tasks) void scheduler.postTask(() => {}, each);
  const continuationPriority: PiecesOptions['priority'] = 'inherit';
  const yields: (SchedulerYieldOptions | null | undefined)[] = [
    undefined, null, {}, { priority }, { priority: continuationPriority }, { signal },
    { signal: taskSignal }, { signal: 'inherit' }, { signal: 'inherit', priority: 'background' },
    { signal: undefined, priority: undefined },
  ];
  for (const each of yields) void scheduler.yield(each);
}

export function signals(): TaskSignal[] {
  const controller = new TaskController({ priority: 'background' });
  controller.setPriority('user-blocking');
  controller.abort(new Error('mine'));
  const { signal } = controller;
  same<typeof signal, TaskSignal>(true);
  same<typeof signal.priority, TaskPriority>(true);
  const host: AbortController = controller;
  signal.onprioritychange = function handler(event) {
    same<typeof event, TaskPriorityChangeEvent>(true);
    same<typeof this, TaskSignal>(true);
  };
  signal.onprioritychange = null;
  signal.addEventListener('prioritychange', (event) => {
    same<typeof event.previousPriority, TaskPriority>(true);
  }, { once: true });
  signal.addEventListener('abort', () => {});
  return [
    signal,
    TaskSignal.any([]),
    TaskSignal.any([signal, host.signal, AbortSignal.timeout(1)]),
    TaskSignal.any(new Set([signal]), { priority: 'background' }),
    TaskSignal.any([signal], { priority: signal }),
    TaskSignal.any([], null),
  ];
}

// `instanceof` narrows, also from the types of the host.
export function narrowed(value: unknown, signal: AbortSignal): TaskPriority | undefined {
  if (value instanceof Scheduler) same<typeof value, Scheduler>(true);
  if (value instanceof TaskController) same<typeof value, TaskController>(true);
  if (value instanceof TaskPriorityChangeEvent) return value.previousPriority;
  if (signal instanceof TaskSignal) {
    same<typeof signal, TaskSignal>(true);
    return signal.priority;
  }
  same<typeof signal, AbortSignal>(true);
  return undefined;
}

// A subclass, and the operations that TaskSignal inherits.
export class Request extends TaskController {
  constructor(readonly url: string) {
    super({ priority: 'background' });
  }
}
export const inherited: AbortSignal[] = [TaskSignal.abort(), TaskSignal.timeout(1)];
export const made: Event = new TaskPriorityChangeEvent('prioritychange', {
  previousPriority: 'background', cancelable: true,
});

export function idle(): void {
  const handle = requestIdleCallback((deadline: IdleDeadline) => {
    same<typeof deadline.didTimeout, boolean>(true);
    return deadline.timeRemaining();
  }, { timeout: 100 });
  same<typeof handle, number>(true);
  cancelIdleCallback(handle);
  requestIdleCallback(() => {}, null);
  configure({ timeSlice: 2.5, maxWait: { 'user-visible': 100, background: Infinity } });
  configure({ maxWait: { background: 50 } });
  const scopes: (IdleScope | undefined)[] = ['loop', 'container', 'machine', undefined];
  for (const idle of scopes) configure({ idle });
  // @ts-expect-error There is no such scope.
  configure({ idle: 'processor' });
  // @ts-expect-error The setting does not exist.
  configure({ timeslice: 3 });
}

export function refused(signal: TaskSignal): void {
  // @ts-expect-error: cannot be constructed.
  new Scheduler();
  // @ts-expect-error: cannot be constructed.
  new TaskSignal();
  // @ts-expect-error: needs a callback.
  void scheduler.postTask();
  // @ts-expect-error: calls the callback without arguments.
  void scheduler.postTask((argument: number) => argument);
  // @ts-expect-error: not a priority.
  void scheduler.postTask(() => {}, { priority: 'high' });
  // @ts-expect-error: a task inherits nothing.
  void scheduler.postTask(() => {}, { priority: 'inherit' });
  // @ts-expect-error: a bigint is not a delay.
  void scheduler.postTask(() => {}, { delay: 1n });
  // @ts-expect-error: misspelt.
  void scheduler.postTask(() => {}, { prority: 'background' });
  // @ts-expect-error: read-only.
  signal.priority = 'background';
  // @ts-expect-error: a signal has no such operation.
  signal.setPriority('background');
  // @ts-expect-error: needs an iterable.
  TaskSignal.any(signal);
  // @ts-expect-error: a plain signal has no priority.
  TaskSignal.any([], { priority: new AbortController().signal });
  // @ts-expect-error: needs a previous priority.
  new TaskPriorityChangeEvent('prioritychange', {});
}
