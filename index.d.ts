/**
 * Prioritized task scheduling for Node: the web's `scheduler`, drained from libuv's own hooks.
 *
 * The interfaces are those of the WICG specification "Prioritized Task Scheduling"
 * (https://wicg.github.io/scheduling-apis/); section names below are that specification's.
 *
 * Errors have the `code` that Node's own have: a `TypeError` below has `ERR_INVALID_ARG_TYPE`,
 * `ERR_INVALID_ARG_VALUE` (a priority that is none), `ERR_OUT_OF_RANGE` (a delay), `ERR_INVALID_THIS`
 * or `ERR_ILLEGAL_CONSTRUCTOR`. In a host that the package cannot run in, loading it throws an error
 * with the code `ERR_UV_SCHEDULER_UNSUPPORTED`, so that a library can go on without.
 */

/**
 * How urgent a task is.
 *
 * - `'user-blocking'`: runs as soon as the current callback has ended, ahead of timers and
 *   immediates.
 * - `'user-visible'`: a peer of timers and immediates. The default.
 * - `'background'`: runs only while nothing else is runnable.
 *
 * Source: Task and Continuation Priorities.
 */
export type TaskPriority = 'user-blocking' | 'user-visible' | 'background';

/** The priority of a continuation: one of its own, or that of the task that yields. */
export type ContinuationPriority = TaskPriority | 'inherit';

/** Options of {@link Scheduler.postTask}. */
export interface SchedulerPostTaskOptions {
  /**
   * Aborts the task: its promise is then rejected with the signal's reason. If it is a
   * {@link TaskSignal} and no `priority` is given, the task's priority follows the signal's.
   */
  signal?: AbortSignal | undefined;
  /** The priority of the task, for good. Default: that of `signal`, else `'user-visible'`. */
  priority?: TaskPriority | undefined;
  /** Milliseconds to wait at least before the task is queued, from 0 to 2^53-1. Default: 0. */
  delay?: number | undefined;
}

/** Options of {@link Scheduler.yield}. Without any, signal and priority are both inherited. */
export interface SchedulerYieldOptions {
  /** Aborts the continuation; `'inherit'`: the signal of the task that yields does. */
  signal?: AbortSignal | 'inherit' | undefined;
  /** The priority of the continuation; `'inherit'`: that of the task that yields. */
  priority?: ContinuationPriority | undefined;
}

/**
 * Runs tasks by priority. All schedulers of an event loop share one enqueue order, and the next
 * task is the oldest one of the highest priority over all of them.
 *
 * Cannot be constructed; see {@link scheduler} and {@link createScheduler}.
 *
 * Source: The Scheduler Interface.
 */
export interface Scheduler {
  /**
   * Runs `callback` as a task of its own, when its turn has come. It is called without arguments,
   * in the async context of this call.
   *
   * @returns a promise for the callback's result. It is rejected with what the callback throws,
   * with the signal's reason if the task is aborted before the callback has returned, and with a
   * `TypeError` if an argument is not what it should be; nothing is ever thrown.
   */
  postTask<T>(
    callback: () => T | PromiseLike<T>,
    options?: SchedulerPostTaskOptions | null,
  ): Promise<T>;

  /**
   * Ends the current task and goes on in a new one, which outranks tasks of the same priority.
   *
   * What is inherited is the state of the task that began the chain, through awaits, reactions,
   * microtasks and ticks; outside any task it is `'user-visible'` and not abortable.
   *
   * @returns a promise that is fulfilled when it is the continuation's turn. It is rejected with
   * the signal's reason if that comes first, and with a `TypeError` if an argument is not what it
   * should be; nothing is ever thrown.
   */
  yield(options?: SchedulerYieldOptions | null): Promise<undefined>;
}

export declare const Scheduler: {
  readonly prototype: Scheduler;
};

/** The scheduler of this environment: the main thread and each worker have one. */
export declare const scheduler: Scheduler;

/** Makes a further scheduler on the same event loop: what another window is in a browser. */
export declare function createScheduler(): Scheduler;

/** Options of the {@link TaskController} constructor. */
export interface TaskControllerInit {
  /** The signal's first priority. Default: `'user-visible'`. */
  priority?: TaskPriority | undefined;
}

/**
 * An `AbortController` that can also change the priority of tasks.
 *
 * Source: The TaskController Interface.
 */
export declare class TaskController extends AbortController {
  /** @throws TypeError if `init` or its priority is not what it should be. */
  constructor(init?: TaskControllerInit | null);

  /** The signal to give to tasks. */
  readonly signal: TaskSignal;

  /**
   * Changes the priority of the signal, of the tasks that follow it, and of the signals that
   * depend on it. Tasks keep their age: they merge with tasks of the new priority.
   *
   * @throws TypeError if `priority` is none.
   * @throws DOMException `NotAllowedError` if called while a change of this signal's priority is
   * under way, from an event listener for it.
   * @throws what an overridden `dispatchEvent` of one of the signals throws: when the change is
   * complete, the first error. What listeners throw is an uncaught exception.
   */
  setPriority(priority: TaskPriority): void;
}

/** How a listener is called, as in the DOM. */
export interface ListenerOptions {
  capture?: boolean | undefined;
  once?: boolean | undefined;
  passive?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

/** A listener for any event, as in the DOM. */
export type Listener = ((event: Event) => void) | { handleEvent(event: Event): void };

/** The events of a {@link TaskSignal}. */
export interface TaskSignalEventMap {
  abort: Event;
  prioritychange: TaskPriorityChangeEvent;
}

/** Options of {@link TaskSignal.any}. */
export interface TaskSignalAnyInit {
  /** A priority for good, or a signal whose priority is followed. Default: `'user-visible'`. */
  priority?: TaskPriority | TaskSignal | undefined;
}

/**
 * An `AbortSignal` with a priority. Cannot be constructed: it is that of a {@link TaskController},
 * or made by {@link TaskSignal.any}.
 *
 * Source: The TaskSignal Interface.
 */
export interface TaskSignal extends AbortSignal {
  /** The priority of tasks that follow this signal. */
  readonly priority: TaskPriority;

  /** Called when the priority has changed. */
  onprioritychange: ((this: TaskSignal, event: TaskPriorityChangeEvent) => unknown) | null;

  addEventListener<K extends keyof TaskSignalEventMap>(
    type: K,
    listener: (this: TaskSignal, event: TaskSignalEventMap[K]) => unknown,
    options?: boolean | ListenerOptions,
  ): void;
  addEventListener(
    type: string,
    listener: Listener,
    options?: boolean | ListenerOptions,
  ): void;
  removeEventListener<K extends keyof TaskSignalEventMap>(
    type: K,
    listener: (this: TaskSignal, event: TaskSignalEventMap[K]) => unknown,
    options?: boolean | ListenerOptions,
  ): void;
  removeEventListener(
    type: string,
    listener: Listener,
    options?: boolean | ListenerOptions,
  ): void;
}

export declare const TaskSignal: {
  readonly prototype: TaskSignal;

  /**
   * Makes a signal that is aborted when one of `signals` is, and whose priority is fixed or
   * follows another signal's.
   *
   * @throws TypeError if an argument is not what it should be.
   */
  any(signals: Iterable<AbortSignal>, init?: TaskSignalAnyInit | null): TaskSignal;
};

/** What the {@link TaskPriorityChangeEvent} constructor needs. */
export interface TaskPriorityChangeEventInit {
  previousPriority: TaskPriority;
  bubbles?: boolean | undefined;
  cancelable?: boolean | undefined;
  composed?: boolean | undefined;
}

/**
 * Tells that the priority of a {@link TaskSignal} has changed.
 *
 * Source: The TaskPriorityChangeEvent Interface.
 */
export declare class TaskPriorityChangeEvent extends Event {
  /** @throws TypeError if an argument is missing or not what it should be. */
  constructor(type: string, priorityChangeEventInitDict: TaskPriorityChangeEventInit);

  /** The signal's priority before the change. */
  readonly previousPriority: TaskPriority;
}

/** What an idle callback is told. */
export interface IdleDeadline {
  /** Whether it runs because its timeout has passed, and not because the loop is idle. */
  readonly didTimeout: boolean;

  /**
   * Milliseconds that the callback may still take: up to the next due timer, 50 at most, and 0 as
   * soon as I/O is ready.
   */
  timeRemaining(): number;
}

/** Options of {@link requestIdleCallback}. */
export interface IdleRequestOptions {
  /** Milliseconds after which the callback runs as a user-visible task. Default: never. */
  timeout?: number | undefined;
}

/**
 * Runs `callback` when not even a background task is runnable. What it throws is an uncaught
 * exception.
 *
 * @returns a handle for {@link cancelIdleCallback}.
 * @throws TypeError if an argument is not what it should be.
 *
 * Source: "Cooperative Scheduling of Background Tasks".
 */
export declare function requestIdleCallback(
  callback: (deadline: IdleDeadline) => unknown,
  options?: IdleRequestOptions | null,
): number;

/** Withdraws an idle callback; does nothing if it has run or was never requested. */
export declare function cancelIdleCallback(handle: number): void;

/**
 * After how many milliseconds queued work is overdue, by priority. Each counts for tasks and for
 * continuations. `Infinity`: never. A priority that is not given keeps its bound.
 */
export interface MaxWait {
  'user-visible'?: number | undefined;
  background?: number | undefined;
}

/** Settings of {@link configure}. */
export interface Configuration {
  /**
   * Milliseconds that tasks may hold one turn of the event loop while I/O, a timer or an immediate
   * waits. Default: 5.
   */
  timeSlice?: number | undefined;

  /**
   * Bounds the wait of queued work, counted from when it was posted, or its delay had passed.
   * Overdue work runs before user-visible continuations and after user-blocking tasks. Every check
   * phase starts at least one overdue task, even if user-blocking work has spent the time slice, and
   * at most one that is background work. Default: `Infinity` for both priorities.
   */
  maxWait?: MaxWait | null | undefined;
}

/**
 * Changes settings of this environment's event loop. A setting that is not given stays as it is. An
 * extension to the web's API.
 *
 * @throws TypeError if a setting does not exist or is not a number of milliseconds above 0. Then
 * none is changed.
 */
export declare function configure(options?: Configuration | null): void;
