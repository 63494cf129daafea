/// <reference path="./task-priority.d.ts" />

/**
 * `require('uv-scheduler/register')` installs the API as globals, as in browsers. Globals that
 * exist already are kept. This file declares these globals, as values and as types; their
 * documentation is in index.d.ts. If no module imports it because Node's option `--import` does,
 * the compiler option `types` must name it: `"types": ["node", "uv-scheduler/register"]`.
 *
 * TypeScript's own libraries (`dom`, `webworker`) declare the scheduler of browsers since
 * TypeScript 6. The types here extend those declarations: `postTask()` returns the type of its
 * callback's result instead of `Promise<any>`, `yield()` takes options, and the signal of a
 * `TaskController` is a `TaskSignal`. The constructors remain the library's, which lets `Scheduler`
 * and `TaskSignal` be constructed and lets `TaskSignal.any()` take only arrays.
 *
 * With TypeScript 5, the `dom` library and `@types/node` 26 together, the option `skipLibCheck` is
 * needed: `@types/node` then takes any global `scheduler` for the library's, and expects a global
 * `URLPattern`.
 */

import type * as api from './index.js';

// Whether a library of TypeScript declares the scheduler. A question for the global variable would
// be circular, because this file declares it as well. Only the libraries declare the global
// object's class.
type IsInLibrary = typeof globalThis extends { Window: { prototype: { scheduler: unknown } } }
  ? true
  : typeof globalThis extends { WorkerGlobalScope: { prototype: { scheduler: unknown } } }
    ? true
    : false;

// Whether the library `dom` declares idle callbacks.
type IsIdleInLibrary = typeof globalThis extends {
  Window: { prototype: { requestIdleCallback: unknown } };
}
  ? true
  : false;

// A variable that is declared twice must have the same type both times.
type Constructor<Name extends string, Own, IsThere = IsInLibrary> = IsThere extends true
  ? typeof globalThis extends Record<Name, infer Library>
    ? Library
    : never
  : Own;

// The library declares the members of an event in a base interface, with other types than ours.
type EventMembers = IsInLibrary extends true
  ? {}
  : ConstructorParameters<typeof api.TaskPriorityChangeEvent>[1];

type ControllerMembers = NonNullable<ConstructorParameters<typeof api.TaskController>[0]>;
type AnyMembers = NonNullable<Parameters<typeof api.TaskSignal.any>[1]>;
type IdleMembers = NonNullable<Parameters<typeof api.requestIdleCallback>[1]>;

declare global {
  // Repeats the members that a library declares as well: members of the library's interface hide
  // inherited members, but members of a later declaration precede both.
  interface Scheduler extends api.Scheduler {
    postTask<T>(
      callback: () => T | PromiseLike<T>,
      options?: api.SchedulerPostTaskOptions | null,
    ): Promise<T>;
    yield(options?: api.SchedulerYieldOptions | null): Promise<void>;
    wait(delay: number, options?: api.SchedulerYieldOptions | null): Promise<void>;
  }

  interface TaskController extends api.TaskController {
    readonly signal: TaskSignal;
  }

  interface TaskSignal extends api.TaskSignal {}

  interface TaskPriorityChangeEvent extends api.TaskPriorityChangeEvent {}

  interface IdleDeadline extends api.IdleDeadline {}

  // The types of arguments, for programs that name them.
  interface SchedulerPostTaskCallback {
    (): any;
  }
  interface SchedulerPostTaskOptions extends api.SchedulerPostTaskOptions {}
  interface TaskControllerInit extends ControllerMembers {}
  interface TaskPriorityChangeEventInit extends EventMembers {}
  interface TaskSignalAnyInit extends AnyMembers {}
  interface TaskSignalEventMap {
    abort: Event;
    prioritychange: api.TaskPriorityChangeEvent;
  }
  interface IdleRequestCallback {
    (deadline: IdleDeadline): void;
  }
  interface IdleRequestOptions extends IdleMembers {}

  var scheduler: Scheduler;
  var Scheduler: Constructor<'Scheduler', typeof api.Scheduler>;
  var TaskController: Constructor<'TaskController', typeof api.TaskController>;
  var TaskSignal: Constructor<'TaskSignal', typeof api.TaskSignal>;
  var TaskPriorityChangeEvent: Constructor<
    'TaskPriorityChangeEvent',
    typeof api.TaskPriorityChangeEvent
  >;
  var IdleDeadline: Constructor<'IdleDeadline', typeof api.IdleDeadline, IsIdleInLibrary>;

  function requestIdleCallback(
    callback: (deadline: api.IdleDeadline) => unknown,
    options?: IdleMembers | null,
  ): number;
  function cancelIdleCallback(handle: number): void;
}

export {};
