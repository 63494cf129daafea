/**
 * Prioritized task scheduling for Node: the web's `scheduler`, run from libuv's own hooks.
 *
 * The interfaces follow the WICG specification "Prioritized Task Scheduling"
 * (https://wicg.github.io/scheduling-apis/); section names below refer to this specification.
 *
 * Errors have a `code`, as in Node: a `TypeError` has `ERR_INVALID_ARG_TYPE`,
 * `ERR_INVALID_ARG_VALUE` (an unknown priority), `ERR_OUT_OF_RANGE` (a delay), `ERR_INVALID_THIS`
 * or `ERR_ILLEGAL_CONSTRUCTOR`. An error with the code `ERR_UV_SCHEDULER_CYCLE` means that shared
 * tasks would wait for each other. Loading the package in a host that it does not support throws an
 * error with the code `ERR_UV_SCHEDULER_UNSUPPORTED`, so that a library can fall back.
 *
 * In browsers (the export condition `browser`), `scheduler`, the interfaces and the idle callbacks
 * are the browser's own, without the extensions, and {@link wait}, {@link shouldYield},
 * {@link pieces} and {@link onIdle} work over them. All other exports exist, but throw an error
 * with the code above when they are called. Without a `scheduler.yield()`, loading throws such an
 * error; the package `scheduler-polyfill`, imported before, brings one. Edge runtimes are not
 * supported.
 *
 * All times are in milliseconds (ms); points in time are on the clock of `performance.now()`. An
 * unknown option throws `ERR_INVALID_ARG_VALUE`. The functions that take the web's dictionaries
 * ignore unknown members instead: `postTask()`, `yield()`, `wait()`, `TaskController`,
 * `TaskSignal.any()` and `requestIdleCallback()`.
 *
 * For TypeScript 5.4 and later. The types `AbortSignal`, `Event` and others come from
 * `@types/node`, or from the `dom` or `webworker` library; one of them must be loaded. TypeScript 6
 * and later load `@types/node` only if the option `types` names it.
 *
 * Since TypeScript 6 these libraries declare a `Scheduler` of their own. The `Scheduler` here is
 * assignable to theirs; theirs lacks `wait()`. `postTask()` here returns the type of its callback's
 * result instead of `Promise<any>`, and a `TaskController` here has a `TaskSignal`. The libraries
 * also let `Scheduler` and `TaskSignal` be constructed, which throws.
 */

/**
 * The priority of a task.
 *
 * - `'user-blocking'`: runs as soon as the current callback has ended, before timers and
 *   immediates.
 * - `'user-visible'`: takes turns with timers and immediates. The default.
 * - `'background'`: runs only when nothing else is runnable.
 *
 * Source: Task and Continuation Priorities.
 */
export type TaskPriority = 'user-blocking' | 'user-visible' | 'background';

/**
 * The priority of a continuation: a fixed one, or `'inherit'`, the priority of the yielding task.
 */
export type ContinuationPriority = TaskPriority | 'inherit';

/** Options of {@link Scheduler.postTask}. */
export interface SchedulerPostTaskOptions {
  /**
   * Aborting this signal aborts the task and rejects its promise with the signal's reason. If the
   * signal is a {@link TaskSignal} and `priority` is not set, the task's priority follows the
   * signal's. Default: none.
   */
  signal?: AbortSignal | undefined;
  /**
   * The fixed priority of the task. Default: the priority of `signal` if it is a
   * {@link TaskSignal}, otherwise `'user-visible'`.
   */
  priority?: TaskPriority | undefined;
  /** The minimum time in milliseconds before the task is queued, from 0 to 2^53-1. Default: 0. */
  delay?: number | undefined;
  /**
   * Makes the task a request of its own. Give it to work that is no request of
   * `uv-scheduler/http`, such as a message of a socket or a queue: without a key, the continuations
   * of a task delay all other tasks of its priority that have no key.
   *
   * Shares the thread between tasks of one priority by the thread time that they use instead of by
   * the order in which they were posted. The key is a string, such as the id of a tenant, of which
   * the first characters and a hash are kept if it has more than 120. The next task comes from the
   * key that has used the least thread time for its weight; all tasks without a key share one key
   * of weight 1. Inside a key, the task that was posted first goes next among the tasks that have
   * used little. Continuations have the key of their task. 10,000 keys are distinguished; all
   * further ones share one. Default: the key of the request whose signal the task has, otherwise
   * none. An extension to the web's API.
   */
  fairnessKey?: string | number | undefined;
  /**
   * The weight of the key from now on: a key of weight 3 gets three times the thread time of a key
   * of weight 1. A number above 0, clamped to the range from 10^-6 to 10^6. Without a `fairnessKey`
   * this sets the weight of the key `''`. Default: the weight that the key has, which is 1 at first
   * and again once an idle key was forgotten. An extension to the web's API.
   */
  fairnessWeight?: number | undefined;
  /**
   * A name for the task; its first 120 characters are kept. Default: the name of the callback. An
   * extension to the web's API.
   */
  label?: string | undefined;
  /**
   * The time in milliseconds after which the queued task is overdue, above 0; `Infinity`: never. It
   * replaces the `maxWait` of {@link configure}, also after a change of the priority. A task is
   * never overdue while its priority is `'user-blocking'`. Each continuation of the task has the
   * same bound, counted from when the continuation is queued. Default: the configured bound. An
   * extension to the web's API.
   */
  maxWait?: number | undefined;
  /**
   * Whether the waiting task keeps the process alive. If false, the task runs only if something
   * else keeps the process alive. Not inherited. Default: true. An extension to the web's API.
   */
  ref?: boolean | undefined;
}

/**
 * Options of {@link Scheduler.yield}. Without options, signal and priority are inherited. An
 * extension to the web's API: earlier versions of the specification had them.
 */
export interface SchedulerYieldOptions {
  /**
   * Aborts the continuation. `'inherit'`: the signal of the yielding task. With an `AbortSignal`
   * that is no {@link TaskSignal}, also set `priority: 'inherit'`: otherwise the continuation of a
   * background task is user-visible. Default: `'inherit'`, or none if `priority` is set.
   */
  signal?: AbortSignal | 'inherit' | undefined;
  /**
   * The priority of the continuation. `'inherit'`: the priority of the yielding task. Default: the
   * priority of `signal` if it is a {@link TaskSignal}, `'inherit'` if `signal` is not set or is
   * `'inherit'`, otherwise `'user-visible'`.
   */
  priority?: ContinuationPriority | undefined;
  /**
   * Whether the waiting continuation keeps the process alive. If false, the continuation runs only
   * if something else keeps the process alive. Not inherited. Default: true. An extension to the
   * web's API.
   */
  ref?: boolean | undefined;
}

/**
 * Options of {@link Scheduler.wait}: the same as for {@link Scheduler.yield}. An extension to the
 * web's API.
 */
export interface SchedulerWaitOptions extends SchedulerYieldOptions {}

/**
 * Runs tasks by priority. All schedulers of an event loop share one enqueue order: the next task
 * is the oldest one of the highest priority among all their tasks.
 *
 * Cannot be constructed; see {@link scheduler} and {@link createScheduler}.
 *
 * Source: The Scheduler Interface.
 */
export declare class Scheduler {
  private constructor();

  /**
   * Queues `callback` to run as a task. It is called without arguments, in the async context of
   * this call. A task that is split into pieces and is not part of a request of
   * `uv-scheduler/http` needs a `fairnessKey`.
   *
   * Never throws.
   *
   * @returns a promise for the callback's result. It is rejected with the error that the callback
   * throws, with the signal's reason if the task is aborted before the callback has returned, or
   * with a `TypeError` if an argument is invalid.
   */
  postTask<T>(
    callback: () => T | PromiseLike<T>,
    options?: SchedulerPostTaskOptions | null,
  ): Promise<T>;

  /**
   * Ends the current task and continues in a new one, the continuation, which runs before tasks of
   * the same priority. Requests of `uv-scheduler/http` and tasks with a `fairnessKey` share the
   * thread by time instead.
   *
   * Signal and priority are inherited from the task that began the chain, through awaits, promise
   * reactions, microtasks and ticks. Outside a task, a continuation is `'user-visible'` and cannot
   * be aborted. Never throws.
   *
   * @returns a promise that is fulfilled when the continuation runs. It is rejected with the
   * signal's reason if the signal is aborted before, or with a `TypeError` if an argument is
   * invalid.
   */
  yield(options?: SchedulerYieldOptions | null): Promise<void>;

  /**
   * Ends the current task and queues a continuation, as {@link yield} does, when `delay`
   * milliseconds have passed. If other work is queued, the continuation starts later than that. A
   * delay of 0 is `yield()`. Never throws. Browsers lack this method: code that is shared with them
   * calls the function {@link wait}. An extension to the web's API.
   *
   * @param delay In ms, from 0 to 2^53-1.
   * @returns a promise that is fulfilled when the continuation runs. It is rejected with the
   * signal's reason if the signal is aborted before, or with a `TypeError` if an argument is
   * invalid or the delay is missing.
   */
  wait(delay: number, options?: SchedulerWaitOptions | null): Promise<void>;
}

/** The scheduler of this environment. The main thread and each worker have their own. */
export declare const scheduler: Scheduler;

/**
 * The same as {@link scheduler}`.wait(delay, options)`, also in browsers, whose own scheduler has
 * no such method. Never throws. An extension to the web's API.
 *
 * In browsers the wait ends in a task, not in a continuation, if the options have a fixed priority,
 * or a signal and no priority. `ref` has no effect. An abort that is inherited rejects the promise
 * when the delay has passed.
 *
 * @param delay In ms, from 0 to 2^53-1.
 * @returns a promise that is fulfilled when the continuation runs. It is rejected with the signal's
 * reason if the signal is aborted before, or with a `TypeError` if an argument is invalid or the
 * delay is missing.
 */
export declare function wait(
  delay: number,
  options?: SchedulerWaitOptions | null,
): Promise<void>;

/**
 * Creates another scheduler on the same event loop, as each window of a browser has its own. All
 * schedulers share one order of tasks. In a task, only the scheduler that the task was posted to
 * inherits the task's signal and priority. Never throws. An extension to the web's API.
 */
export declare function createScheduler(): Scheduler;

/** Options of the {@link TaskController} constructor. */
export interface TaskControllerInit {
  /** The initial priority of the signal. Default: `'user-visible'`. */
  priority?: TaskPriority | undefined;
}

/**
 * An `AbortController` that can also change the priority of its tasks.
 *
 * Source: The TaskController Interface.
 */
export declare class TaskController extends AbortController {
  /** @throws TypeError if `init` or its `priority` is invalid. */
  constructor(init?: TaskControllerInit | null);

  /** The signal to pass to `postTask()` or `yield()`. */
  readonly signal: TaskSignal;

  /**
   * Changes the priority of the signal, of the tasks that follow it, and of its dependent signals.
   * Tasks keep their enqueue order: they merge by age with the tasks of the new priority.
   *
   * @throws TypeError if `priority` is not a {@link TaskPriority}.
   * @throws DOMException `NotAllowedError` if the priority of this signal is already being changed,
   * that is, when called from a `prioritychange` listener.
   * @throws the first error that an overridden `dispatchEvent` of one of the signals throws, once
   * the change is complete. Errors that listeners throw are uncaught exceptions.
   */
  setPriority(priority: TaskPriority): void;
}

/** Options of `addEventListener()`, as in the DOM. */
export interface TaskSignalListenerOptions {
  /** Whether the listener is one of the capturing phase. Default: false. */
  capture?: boolean | undefined;
  /** Whether the listener is removed before its first call. Default: false. */
  once?: boolean | undefined;
  /** Whether the listener promises not to call `preventDefault()`. Default: false. */
  passive?: boolean | undefined;
  /** Removes the listener when this signal is aborted. Default: none. */
  signal?: AbortSignal | undefined;
}

/** An event listener, as in the DOM. */
export type TaskSignalListener = ((event: Event) => void) | { handleEvent(event: Event): void };

/** The events of a {@link TaskSignal}. */
export interface TaskSignalEventMap {
  /** Fired once, when the signal is aborted. */
  abort: Event;
  /** Fired when the priority of the signal has changed. */
  prioritychange: TaskPriorityChangeEvent;
}

/** Options of {@link TaskSignal.any}. */
export interface TaskSignalAnyInit {
  /** A fixed priority, or a signal whose priority is followed. Default: `'user-visible'`. */
  priority?: TaskPriority | TaskSignal | undefined;
}

/**
 * An `AbortSignal` with a priority. Cannot be constructed: it is the signal of a
 * {@link TaskController} or the result of {@link TaskSignal.any}.
 *
 * Source: The TaskSignal Interface.
 */
export declare class TaskSignal extends AbortSignal {
  private constructor();

  /**
   * Creates a signal that is aborted when one of `signals` is aborted, and whose priority is fixed
   * or follows another signal.
   *
   * @throws TypeError if an argument is invalid.
   */
  static any(signals: Iterable<AbortSignal>, init?: TaskSignalAnyInit | null): TaskSignal;

  /** The priority of tasks that follow this signal. */
  readonly priority: TaskPriority;

  /** Called when the priority has changed. Default: `null`. */
  onprioritychange: ((this: TaskSignal, event: TaskPriorityChangeEvent) => unknown) | null;

  /**
   * Adds a listener, as in the DOM.
   *
   * @throws TypeError if an argument is missing or invalid.
   */
  addEventListener<K extends keyof TaskSignalEventMap>(
    type: K,
    listener: (this: TaskSignal, event: TaskSignalEventMap[K]) => unknown,
    options?: boolean | TaskSignalListenerOptions,
  ): void;
  addEventListener(
    type: string,
    listener: TaskSignalListener,
    options?: boolean | TaskSignalListenerOptions,
  ): void;
  /**
   * Removes a listener, as in the DOM.
   *
   * @throws TypeError if an argument is missing.
   */
  removeEventListener<K extends keyof TaskSignalEventMap>(
    type: K,
    listener: (this: TaskSignal, event: TaskSignalEventMap[K]) => unknown,
    options?: boolean | TaskSignalListenerOptions,
  ): void;
  removeEventListener(
    type: string,
    listener: TaskSignalListener,
    options?: boolean | TaskSignalListenerOptions,
  ): void;
}

/** The second argument of the {@link TaskPriorityChangeEvent} constructor. */
export interface TaskPriorityChangeEventInit {
  /** The priority of the signal before the change. Required. */
  previousPriority: TaskPriority;
  /** As in the DOM. Default: false. */
  bubbles?: boolean | undefined;
  /** As in the DOM. Default: false. */
  cancelable?: boolean | undefined;
  /** As in the DOM. Default: false. */
  composed?: boolean | undefined;
}

/**
 * The `prioritychange` event of a {@link TaskSignal}, fired when its priority has changed.
 *
 * Source: The TaskPriorityChangeEvent Interface.
 */
export declare class TaskPriorityChangeEvent extends Event {
  /** @throws TypeError if an argument is missing or invalid. */
  constructor(type: string, priorityChangeEventInitDict: TaskPriorityChangeEventInit);

  /** The priority of the signal before the change. */
  readonly previousPriority: TaskPriority;
}

/** Options of the {@link SharedTask} constructor. */
export interface SharedTaskOptions {
  /** The priority of a run, below which it never falls. Default: `'background'`. */
  priority?: TaskPriority | undefined;
  /**
   * A name for the task of each run; its first 120 characters are kept. Default: the name of the
   * callback.
   */
  label?: string | undefined;
  /**
   * Whether a run is aborted when the last `join()` that waits for the run is ended by its signal.
   * If the run has not started, it is removed from its queue. If it has started, the signal of the
   * run is aborted with an `AbortError`, and a `join()` called before the run has settled waits for
   * the next run. Default: false.
   */
  abortWhenUnused?: boolean | undefined;
}

/** Options of {@link SharedTask.join}. */
export interface SharedTaskJoinOptions {
  /**
   * The priority with which this call waits: a fixed priority, or a signal whose priority is
   * followed. `'inherit'`: the priority of the calling task, followed if it can change; outside of
   * tasks `'user-visible'`. Default: the priority of `signal` if it is a {@link TaskSignal},
   * otherwise `'inherit'`.
   */
  priority?: ContinuationPriority | TaskSignal | undefined;
  /** Rejects only the promise of this call, with the signal's reason. Default: none. */
  signal?: AbortSignal | undefined;
}

/**
 * Work that several callers need at once, such as filling a cache. It runs once for all callers,
 * with the priority of the most urgent caller that waits:
 *
 * ```js
 * const loadMenu = new SharedTask(() => readMenu());
 * const menu = (cached ??= await loadMenu.join());
 * ```
 *
 * While no run is under way, {@link join} posts a task that calls the callback. Until that task has
 * settled, each further `join()` waits for the same task. After that, the next `join()` calls the
 * callback again: a shared task is not a cache.
 *
 * The priority of a run is the highest among its own priority and the priorities of the callers
 * that wait now. It changes when callers join or leave and when their priorities change. The
 * priority of the run also applies to its `yield()` calls, on any scheduler, and to the shared
 * tasks that it joins. A run has the `AsyncLocalStorage` values of the `join()` that began it.
 * {@link drain} and {@link onIdle} count a run as one task of its current priority. An extension to
 * the web's API.
 */
export declare class SharedTask<T> {
  /** @throws TypeError if an argument is invalid. */
  constructor(callback: () => T | PromiseLike<T>, options?: SharedTaskOptions | null);

  /**
   * Waits for the run under way, or begins one. Works without a receiver: `const { join } = task`.
   * If the calling task has a `maxWait`, the run is user-visible once that time has passed.
   *
   * A call counts as waiting until the run has settled or the call's signal is aborted, even if its
   * promise is dropped. Never throws.
   *
   * @returns a promise for the result of the run, which is rejected with the error of the run, with
   * the signal's reason, with a `TypeError` if an option is invalid, or with an `AbortError` if
   * {@link drain} refuses the run. If the code of a run joins that run, or another run that waits
   * for it, the promise is rejected with an error that has the code `ERR_UV_SCHEDULER_CYCLE` and
   * names these shared tasks. Code in tasks, timers and events that a run has started is not
   * recognized as code of the run. If no call waits for a run any more, an error of the run is not
   * an unhandled rejection.
   */
  join(this: void, options?: SharedTaskJoinOptions | null): Promise<T>;

  /** The priority of the run under way; without a run, the priority from the options. */
  readonly priority: TaskPriority;

  /** How many calls of {@link join} wait now. */
  readonly joined: number;

  /**
   * Whether a run is under way: from the `join()` that begins the run until the run has settled.
   */
  readonly isRunning: boolean;
}

/**
 * The argument of an idle callback. Cannot be constructed.
 *
 * Source: The IdleDeadline interface of "Cooperative Scheduling of Background Tasks".
 */
export declare class IdleDeadline {
  private constructor();

  /** Whether the callback runs because its timeout has passed. */
  readonly didTimeout: boolean;

  /**
   * Returns the time in milliseconds that the callback may still use: at most 50, at most the time
   * until the next timer is due, and 0 once I/O is ready.
   */
  timeRemaining(): number;
}

/** Options of {@link requestIdleCallback}. */
export interface IdleRequestOptions {
  /** Time in milliseconds after which the callback runs as a user-visible task. Default: never. */
  timeout?: number | undefined;
  /**
   * Whether the waiting callback keeps the process alive. If false, the callback runs only if
   * something else keeps the process alive. Not inherited. Default: true. An extension to the web's
   * API.
   */
  ref?: boolean | undefined;
}

/**
 * Runs `callback` when not even a background task is runnable. A callback that is requested in an
 * idle callback runs in the next turn of the loop at the earliest. An error that `callback` throws
 * is an uncaught exception.
 *
 * @returns a handle for {@link cancelIdleCallback}.
 * @throws TypeError if an argument is invalid.
 *
 * Source: "Cooperative Scheduling of Background Tasks".
 */
export declare function requestIdleCallback(
  callback: (deadline: IdleDeadline) => unknown,
  options?: IdleRequestOptions | null,
): number;

/**
 * Cancels an idle callback. Does nothing if it has run already or does not exist.
 *
 * @throws TypeError if `handle` is missing or cannot be converted to a number.
 */
export declare function cancelIdleCallback(handle: number): void;

/**
 * Whether the running code should yield: its time slice is used up, or other work would run before
 * its continuation. Otherwise a `yield()` would resume the code immediately. A loop can call this
 * in every iteration:
 *
 * ```js
 * if (shouldYield()) await scheduler.yield();
 * ```
 *
 * If only continuations of the same priority wait, the code has a stint: the result is false until
 * the code has run about as long as the longest stint of those continuations in the last two
 * rounds, at least 1 ms and at most the time slice. So code with short pieces and code with long
 * pieces get about the same share of the thread. A stint begins with the task; outside of tasks,
 * with the first call.
 *
 * The priority that `yield()` would inherit decides which work counts. User-blocking code yields to
 * tasks of that priority and at the end of the slice. User-visible code also yields to ready I/O
 * and, after its head start, to a due timer, but not in a task before it has had its share beside
 * callbacks that are no tasks. Background code yields to everything that is runnable.
 * Time in which the loop slept does not count as use of the slice. Work that the thread pool has
 * completed, such as reading a file, counts as ready I/O until the loop wakes up for that work;
 * callbacks of such work that are still to be called then are not noticed.
 *
 * If a loop calls this more often than every 10 µs, three of four calls may reuse the last result,
 * but not the first call after the loop has posted a task. So three slow iterations after quick
 * ones can go unnoticed. Never throws. An extension to the web's API.
 *
 * In browsers, other work is unknown: the result is true if the browser reports pending input
 * (`navigator.scheduling.isInputPending()`, in Chromium), or if 5 ms have passed since the first
 * call in this task.
 */
export declare function shouldYield(): boolean;

/** Options of {@link pieces}. */
export interface PiecesOptions {
  /**
   * The priority of the continuations. `'inherit'`: the priority that `yield()` would inherit where
   * `pieces()` is called. With `'inherit'` and without `signal`, no abort is inherited, which suits
   * work in a `finally` that must complete. Default: the priority of `signal` if it is a
   * {@link TaskSignal}, otherwise the inherited one.
   */
  priority?: ContinuationPriority | undefined;
  /**
   * Ends the iteration when this signal is aborted. Default: the signal that `yield()` would
   * inherit where `pieces()` is called.
   */
  signal?: AbortSignal | undefined;
}

/**
 * Returns the items of an iterable as an async iterable that yields to other work between two
 * items, like a loop that calls {@link shouldYield} and then `yield()`:
 *
 * ```js
 * for await (const row of pieces(rows)) html += render(row);
 * ```
 *
 * The result is an iterator itself and can be read once. The source is opened at the first call of
 * `next()`, and each item is read only after the previous one was taken; overlapping calls of
 * `next()` wait for each other. So the result can be streamed: `Readable.from(pieces(chunks))`.
 * Leaving the loop closes the source. If a sync source has promises or other thenables as items,
 * their values are the items, as in any `for await`, and a rejected promise closes the source. Each
 * element of an array is read once.
 *
 * When the signal is aborted, all calls of `next()` that wait are rejected with the signal's reason
 * at once, also while the source is silent, and the source is closed: its `return()` is called, and
 * not awaited. Every later call is rejected with the same reason. If no call waits, the next one
 * closes the source. A stream or an async generator that is silent closes when it continues, so
 * pass the signal to the source as well.
 *
 * The continuations run before the tasks of their priority, unless the loop is part of a request of
 * `uv-scheduler/http`, or of a task with a `fairnessKey`: then these share the thread by time. If
 * only continuations of the same priority wait, the iteration yields when its stint is over, see
 * {@link shouldYield}.
 *
 * While items are taken within a few microseconds each, the check is made only at every fourth to
 * sixteenth item, and at the first item after a task was posted. An extension to the web's API.
 *
 * In browsers, the continuations inherit from the code that calls `next()`. An inherited signal
 * ends the iteration only when it yields, also with `priority: 'inherit'`. With a fixed priority or
 * a {@link TaskSignal}, a yield queues a task, not a continuation.
 *
 * @throws TypeError if `iterable` is neither an iterable nor an async iterable, or if an option is
 * invalid.
 */
export declare function pieces<T>(
  iterable: AsyncIterable<T>,
  options?: PiecesOptions | null,
): AsyncIterableIterator<T>;
/**
 * Returns the items of an iterable as an async iterable that yields to other work between two
 * items. The first overload, for an async iterable, has the whole description. An extension to the
 * web's API.
 *
 * @throws TypeError if `iterable` is not an iterable, or if an option is invalid.
 */
export declare function pieces<T>(
  iterable: Iterable<T>,
  options?: PiecesOptions | null,
): AsyncIterableIterator<Awaited<T>>;

/**
 * Returns the signal that aborts the calling code. In a task, this is the signal whose abort
 * `scheduler.yield()` would inherit. Code without such a signal, in a request that
 * `createAdmission()` of `uv-scheduler/http` has admitted, gets the {@link TaskSignal} of the
 * client, also in the callbacks of timers and I/O. Elsewhere the result is `undefined`. With this
 * signal, code at any depth can stop when the client has left:
 *
 * ```js
 * for await (const row of pieces(rows, { signal: currentTaskSignal() })) html += render(row);
 * const answer = await fetch(url, { signal: currentTaskSignal() });
 * ```
 *
 * Never throws. An extension to the web's API.
 *
 * In browsers, which do not tell, always `undefined`.
 */
export declare function currentTaskSignal(): TaskSignal | AbortSignal | undefined;

/** Options of {@link onIdle}. */
export interface OnIdleOptions {
  /** Rejects the promise with the signal's reason when the signal is aborted. Default: none. */
  signal?: AbortSignal | undefined;
}

/**
 * Waits until no task and no continuation of this environment is queued, delayed or running. A task
 * runs until its promise settles. Tasks with `ref: false`, idle callbacks and the calling task do
 * not count. Tasks that all wait in `onIdle()` do not wait for each other. An extension to the
 * web's API.
 *
 * The calling task is recognized if it calls `onIdle()` before its callback has returned. After the
 * first call in a process, tasks that start later are recognized in their whole chain, but not in
 * the timers and I/O callbacks that they start; tasks, and before Node 24 every `await`, then take
 * some percent longer. A task that is not recognized waits for itself, and so does a task that
 * awaits a task in `onIdle()`. Contexts of `vm` have tasks of their own.
 *
 * During the wait, background work is not paused for the container's quota or for other processes
 * (see {@link IdleScope}). Does not keep the process alive. Never throws.
 *
 * In browsers, other tasks are unknown: waits until the tasks that are queued now have run, as a
 * background task does, and then for an idle period, as `requestIdleCallback()` does where the
 * browser has that function. Delayed tasks, and running tasks that await something, do not count.
 *
 * @returns a promise that is fulfilled, immediately if nothing waits or runs now. It is rejected
 * with the signal's reason, or with a `TypeError` if an argument is invalid.
 */
export declare function onIdle(options?: OnIdleOptions | null): Promise<void>;

/** Options of {@link drain}. */
export interface DrainOptions {
  /** Tasks below this priority are rejected. Default: `'user-visible'`. */
  priority?: TaskPriority | undefined;
  /**
   * The time in milliseconds after which all tasks that have not settled are rejected, from 0 to
   * 2^53-1 or `Infinity`. Default: `Infinity`.
   */
  timeout?: number | undefined;
  /** Ends the drain when this signal is aborted. Rejected tasks stay rejected. Default: none. */
  signal?: AbortSignal | undefined;
}

/** The number of tasks that settled while {@link drain} waited, by outcome and priority. */
export interface DrainResult {
  /** Tasks whose promise was fulfilled. */
  completed: Record<TaskPriority, number>;
  /** Tasks that threw, or whose result was rejected. */
  failed: Record<TaskPriority, number>;
  /**
   * Tasks that were rejected with the reason of their signal, with an `AbortError` of Node's own
   * APIs whose `cause` is the reason, or by `drain()`.
   */
  aborted: Record<TaskPriority, number>;
}

/**
 * Lets important tasks finish before the process shuts down. Call this after the server has stopped
 * accepting requests. An extension to the web's API.
 *
 * 1. Tasks below `priority` are rejected with an `AbortError`: waiting tasks, tasks that are posted
 *    from now on, and waiting tasks whose priority is lowered below `priority`. Delayed tasks of
 *    any priority are rejected in the same way. Idle callbacks are cancelled.
 * 2. The other tasks run, and so do continuations and waits of started tasks at any priority.
 *    `drain()` waits neither for tasks with `ref: false` nor for the calling task (see
 *    {@link onIdle}).
 * 3. After `timeout`, all unsettled tasks are rejected with a `TimeoutError`; their code may
 *    continue to run. A `timeout` keeps the process alive until then.
 *
 * Rejections by `drain()` count as handled, so a task that is not awaited needs no `catch`.
 * Promises derived from the task's promise cause unhandled rejections as usual.
 *
 * During the wait, background work is not paused for the container's quota or for other processes
 * (see {@link IdleScope}). Afterwards the scheduler takes tasks again. A call during another drain
 * joins that drain and can only make it stricter: a higher priority, an earlier timeout. Never
 * throws.
 *
 * @returns a promise for the number of settled tasks. It is rejected with the signal's reason, or
 * with a `TypeError` if an argument is invalid.
 */
export declare function drain(options?: DrainOptions | null): Promise<DrainResult>;

/**
 * The time in milliseconds after which queued tasks and continuations are overdue, by priority. A
 * number above 0; `Infinity`: never. A priority that is not given keeps its bound.
 */
export interface MaxWaitByPriority {
  /** In ms. Default: `Infinity`. */
  'user-visible'?: number | undefined;
  /** In ms. Default: `Infinity`. */
  background?: number | undefined;
}

/** Options of {@link configure}. */
export interface ConfigureOptions {
  /**
   * The time in milliseconds that tasks may use of one turn of the event loop while I/O, a timer or
   * an immediate waits. Default: 5.
   */
  timeSlice?: number | undefined;

  /**
   * Bounds the wait of queued work, counted from the post or from the end of the delay. Overdue
   * work runs before user-visible continuations and after user-blocking tasks. Every check phase
   * starts at least one overdue task, even if user-blocking work has spent the time slice, and at
   * most one overdue background task. Default: `Infinity` for both priorities.
   */
  maxWait?: MaxWaitByPriority | null | undefined;

  /**
   * Which resource must be idle before background work and idle callbacks start. Default: the value
   * of the environment variable `UV_SCHEDULER_IDLE`, otherwise `'container'`.
   */
  idle?: IdleScope | undefined;
}

/**
 * Which resource must be idle before background work and idle callbacks start. On systems other
 * than Linux, each value behaves as `'loop'`.
 *
 * - `'loop'`: only this event loop.
 * - `'container'`: also the CPU quota of the process's control group, if it has one. Background
 *   work uses the part of the quota that other work leaves, so that the kernel need not stop the
 *   process. In a worker thread, background work also pauses while other threads of the group want
 *   the same processor. Without a quota this is `'loop'`.
 * - `'machine'`: also the processor: background work pauses while other threads want it.
 *
 * Paused work is not runnable: the loop sleeps, {@link shouldYield} returns true in background
 * code, and its `yield()` resumes when the resource is idle again. Work that has waited for longer
 * than its `maxWait` is not paused. {@link onIdle} and {@link drain} end the pause while they wait.
 * A {@link TaskMonitor} shows the time of pauses and their reason. An extension to the web's API.
 */
export type IdleScope = 'loop' | 'container' | 'machine';

/**
 * Changes settings of this environment's event loop. A setting that is not given stays as it is.
 * For applications, not for libraries: a library would change the settings of its host program. An
 * extension to the web's API.
 *
 * @throws TypeError if a setting does not exist (`ERR_INVALID_ARG_VALUE`) or its value is invalid;
 * then no setting is changed.
 */
export declare function configure(options?: ConfigureOptions | null): void;

/** The settings that {@link configuration} returns. */
export interface SchedulerConfiguration {
  /** The time in ms that tasks may use of one turn of the event loop while other work waits. */
  readonly timeSlice: number;
  /** The time in ms after which queued work is overdue, by priority. `Infinity`: never. */
  readonly maxWait: { readonly 'user-visible': number; readonly 'background': number };
  /** Which resource must be idle before background work starts. */
  readonly idle: IdleScope;
  /**
   * The scheduler of this process: the addon, the portable build, or none: with the environment
   * variable `UV_SCHEDULER_DISABLE=all`, each task is an immediate, and settings have no effect.
   * {@link configure} cannot change it.
   */
  readonly mode: 'addon' | 'portable' | 'off';
}

/**
 * Returns a copy of the current settings of this environment's event loop. Never throws. An
 * extension to the web's API.
 */
export declare function configuration(): SchedulerConfiguration;

/**
 * The rules of the event loop that hold in this process; the reference explains each. All hold in
 * Node. On Bun, on Deno and with `uv-scheduler/portable`, those that depend on ready I/O, on due
 * timers or on quotas are `false`: no host but libuv tells these. With `UV_SCHEDULER_DISABLE=all`
 * only `oneTaskOneMacrotask` and `liveness` hold. An extension to the web's API.
 */
export interface Guarantees {
  /** The oldest task of the highest effective priority starts first. */
  readonly order: boolean;
  /** All ticks and microtasks of a task have run before the next task starts. */
  readonly oneTaskOneMacrotask: boolean;
  /** User-blocking tasks run as soon as the current callback has ended. */
  readonly userBlocking: boolean;
  /** User-visible continuations wait for ready I/O. */
  readonly userVisibleContinuations: boolean;
  /** User-visible tasks run before immediates, and new ones wait for I/O, timers and immediates. */
  readonly userVisibleTasks: boolean;
  /**
   * Background tasks run only when nothing else is runnable. Where it is `false`, they run after a
   * turn in which almost no time was spent.
   */
  readonly background: boolean;
  /** Idle callbacks run when not even a background task is runnable. */
  readonly idleCallbacks: boolean;
  /** Tasks take at most one time slice of a turn while other work waits. */
  readonly timeSlice: boolean;
  /** `configure({ maxWait })` bounds the waits of queued tasks. */
  readonly boundedWaits: boolean;
  /** `postTask(callback, { maxWait })` bounds the waits of one task. */
  readonly ownBounds: boolean;
  /** `configure({ idle })` also looks at the CPU quota and at other processes. */
  readonly idleMeansIdle: boolean;
  /** A queued or delayed task keeps the process alive. */
  readonly liveness: boolean;
  /** A run of the loop inside a task runs tasks. */
  readonly nestedLoops: boolean;
}

/** The {@link Guarantees} of this process, frozen. An extension to the web's API. */
export declare const guarantees: Guarantees;

declare global {
  /** Declared by TypeScript's library `esnext.disposable` and by `@types/node`, where present. */
  interface Disposable {}
}

/** A bucket of a {@link TimeDistribution}. */
export interface TimeBucket {
  /** The upper bound of the bucket in ms. `Infinity` for the last one. */
  readonly le: number;
  /** The number of times up to this bound, including the times of smaller buckets. */
  readonly count: number;
}

/** The distribution of a number of times, such as the waits or durations of one priority. */
export interface TimeDistribution {
  /** The number of times. */
  readonly count: number;
  /** Their sum in ms. */
  readonly sum: number;
  /** The shortest time in ms; 0 if there are none. */
  readonly min: number;
  /** The longest time in ms; 0 if there are none. */
  readonly max: number;
  /** Their mean in ms; 0 if there are none. */
  readonly mean: number;
  /**
   * The number of times by length. The bounds are fixed: 0.1 ms, doubled up to 6,553.6 ms, then
   * `Infinity`.
   */
  readonly buckets: TimeBucket[];
  /**
   * Returns the time in ms that `percent` percent of the times do not exceed, within 1 %; 0 if
   * there are none.
   *
   * @param percent Above 0, up to 100.
   * @throws {TypeError} if `percent` is invalid (`ERR_INVALID_ARG_TYPE`, `ERR_OUT_OF_RANGE`).
   */
  percentile(percent: number): number;
  /** The same as plain values. */
  toJSON(): TimeDistributionJSON;
}

/** A {@link TimeDistribution} as plain values, for JSON and for other threads. */
export interface TimeDistributionJSON {
  /** The number of times. */
  count: number;
  /** In ms, as are `min`, `max` and `mean`. */
  sum: number;
  /** In ms. */
  min: number;
  /** In ms. */
  max: number;
  /** In ms. */
  mean: number;
  /** Without the bucket for `Infinity`, which JSON lacks: that bucket's count is `count`. */
  buckets: TimeBucket[];
  /** The times in ms at these percentiles; 0 if there are none. */
  percentiles: { [percent in '50' | '75' | '90' | '99' | '99.9' | '100']: number };
}

/** The metrics of one priority in a {@link TaskMonitor}. Continuations count as tasks. */
export interface TaskPriorityStatistics {
  /** Time from queued to started. A delayed task is queued when its delay has passed. */
  readonly wait: TimeDistribution;
  /**
   * Time for which callbacks blocked the thread, including the ticks and microtasks behind them,
   * and so the code after an `await` of a settled promise. The code after `await scheduler.yield()`
   * counts for the continuation. With it, the time of each section that `<Scheduled>` renders.
   */
  readonly duration: TimeDistribution;
  /** Number of tasks queued now. Tasks whose delay has not passed are not queued. */
  readonly queued: number;
  /**
   * The wait of the oldest queued task in ms; 0 if none is queued. If the task was queued before
   * tasks were watched, the wait counts from when watching began.
   */
  readonly oldest: number;
  /** Number of tasks that have started and whose promises have not settled. */
  readonly running: number;
  /** Number of fulfilled tasks and started continuations. */
  readonly completed: number;
  /** Number of tasks that were rejected because their callbacks failed. */
  readonly failed: number;
  /** Number of tasks and continuations that a signal or {@link drain} rejected. */
  readonly aborted: number;
  /** The same as plain values, as of now. */
  toJSON(): TaskPriorityStatisticsJSON;
}

/** {@link TaskPriorityStatistics} as plain values, for JSON and for other threads. */
export interface TaskPriorityStatisticsJSON {
  /** Time from queued to started. */
  wait: TimeDistributionJSON;
  /** Time for which callbacks blocked the thread. */
  duration: TimeDistributionJSON;
  /** Number of tasks queued now. */
  queued: number;
  /** In ms. */
  oldest: number;
  /** Number of tasks that have started and whose promises have not settled. */
  running: number;
  /** Number of fulfilled tasks and started continuations. */
  completed: number;
  /** Number of tasks that were rejected because their callbacks failed. */
  failed: number;
  /** Number of tasks and continuations that a signal or {@link drain} rejected. */
  aborted: number;
}

/** One of the callbacks that blocked the thread longest while a {@link TaskMonitor} was enabled. */
export interface LongestCallback {
  /**
   * The label of the task; by default the name of its callback. Empty if there is none. A
   * continuation has the label of the task that ran when the continuation was posted, mostly its
   * own task.
   */
  readonly label: string;
  /** The priority of the task or continuation at its start. */
  readonly priority: TaskPriority;
  /**
   * When the callback started, or the monitor was enabled if that was later; in ms on the clock of
   * `performance.now()`.
   */
  readonly startedAt: number;
  /** The time in ms for which the callback blocked the thread. */
  readonly duration: number;
}

/** The thread time of the tasks of one label and priority, measured by a {@link TaskMonitor}. */
export interface LabelTime {
  /** As in {@link LongestCallback}. */
  readonly label: string;
  /** Tasks of one label that ran with several priorities have an entry for each. */
  readonly priority: TaskPriority;
  /** Number of tasks and continuations that have run, and of rendered sections of `<Scheduled>`. */
  readonly count: number;
  /** The sum in ms for which they blocked the thread, without tasks nested in them. */
  readonly time: number;
  /** The longest time in ms for which one of them blocked the thread. */
  readonly max: number;
}

/** The thread time and waits of one fairness key. */
export interface KeyTime {
  /**
   * The key; `null` for all keys beyond the number of distinguished keys, and `'(nobody)'` for the
   * time outside of tasks that could be charged to no request while some were in progress.
   */
  readonly key: string | null;
  /** The weight that was given last. */
  readonly weight: number;
  /** Number of requests and tasks of the key that wait or run. */
  readonly requests: number;
  /**
   * Thread time in ms of their tasks and continuations, and of the other code of their requests,
   * including before watching began.
   */
  readonly time: number;
  /** The sum of their waits in ms while a monitor was enabled. */
  readonly waitTime: number;
  /**
   * By priority: the thread times in ms, in rising order, at which a request goes behind requests
   * that have used less. The same for all keys.
   */
  readonly levels: { readonly [priority in TaskPriority]: number[] };
}

/** Times in ms, by use of the thread. */
export interface ThreadTime {
  /** Tasks and continuations of this priority, and sections of `<Scheduled>`. */
  readonly 'user-blocking': number;
  /** The same for this priority. */
  readonly 'user-visible': number;
  /** Idle callbacks count as background work. */
  readonly 'background': number;
  /** Timers, I/O callbacks and all other code outside of tasks. */
  readonly other: number;
  /** Waiting for events. */
  readonly idle: number;
}

/** The time in ms for which background work was paused although the loop was idle, by reason. */
export interface TaskHeldTime {
  /** The CPU quota of the container. */
  readonly container: number;
  /** Other threads that want the processor. */
  readonly machine: number;
}

/** The result of {@link TaskMonitor.utilization}: shares from 0 to 1, by use of the thread. */
export type TaskUtilization = { readonly [use in keyof ThreadTime]: number };

/**
 * Measures the tasks of a thread: of all schedulers, including the schedulers of other contexts of
 * the thread. All counts are cumulative, and all values are current at any time, also inside of a
 * task.
 */
export interface TaskMonitor extends Disposable {
  /** The metrics of each priority, including its continuations. */
  readonly priorities: { readonly [priority in TaskPriority]: TaskPriorityStatistics };
  /**
   * The ten slowest callbacks, the slowest first. With the option `window` of
   * {@link MonitorTasksOptions}, only callbacks that have ended within that time; callbacks in the
   * oldest sixteenth of the window can be missing if slower ones have just left the window.
   */
  readonly longest: LongestCallback[];
  /**
   * The fairness keys with the most thread time, at most 100, the largest first. A key without
   * requests is removed when its thread time no longer affects the order.
   */
  readonly keys: KeyTime[];
  /**
   * The labels with the most thread time, at most 100, the largest first. Without idle callbacks.
   *
   * Exact for up to 1,024 pairs of a label and a priority. With more pairs, the pairs with the
   * least time are dropped now and then, and start again from 0 when they return. So the `time` of
   * an entry is never too large, and at most 1/512 of the time of all tasks too small.
   */
  readonly labels: LabelTime[];
  /** The time of the thread while the monitor was enabled, in ms, by use. */
  readonly time: ThreadTime;
  /**
   * The time in ms for which background work and idle callbacks were paused while the monitor was
   * enabled (see {@link IdleScope}). Not a part of `time`: the loop waits for events meanwhile, or
   * runs other callbacks.
   */
  readonly heldTime: TaskHeldTime;
  /** The reason why background work is paused now; `null` if it is not paused. */
  readonly heldFor: 'container' | 'machine' | null;
  /**
   * Begins to measure; a callback under way counts from now on. Returns false if already enabled.
   */
  enable(): boolean;
  /** Stops measuring and keeps the values. Returns false if already disabled. */
  disable(): boolean;
  /** Sets all values to 0; a callback under way counts from now on. Never throws. */
  reset(): void;
  /**
   * Returns the shares of the time for each priority, for other callbacks, and for waiting for
   * events: since the monitor was first enabled, or since an earlier call.
   *
   * `performance.eventLoopUtilization()` is 1 as soon as background work fills the loop, though no
   * request waits for that work. Here such work is `background`, which yields to requests.
   *
   * Where a decision has several callers, such as a health check, measure in a timer, from one
   * interval to the next, and let the callers read the result.
   *
   * @param previous The result of an earlier call. A result from before a `reset()`, or of another
   * monitor, is ignored.
   */
  utilization(previous?: TaskUtilization): TaskUtilization;
  /**
   * Returns all current values of the monitor as plain objects: for `JSON.stringify()`, loggers,
   * and `postMessage(monitor.toJSON())`, as a monitor itself cannot be cloned.
   */
  toJSON(): TaskMonitorJSON;
}

/** A {@link TaskMonitor} as plain values, for JSON and for other threads. */
export interface TaskMonitorJSON {
  /** The metrics of each priority. */
  priorities: { [priority in TaskPriority]: TaskPriorityStatisticsJSON };
  /** The fairness keys with the most thread time. */
  keys: KeyTime[];
  /** The labels with the most thread time. */
  labels: LabelTime[];
  /** The slowest callbacks. */
  longest: LongestCallback[];
  /** The time of the thread in ms, by use. */
  time: ThreadTime;
  /** The time in ms for which background work was paused, by reason. */
  heldTime: TaskHeldTime;
  /** The reason why background work is paused now; `null` if it is not paused. */
  heldFor: 'container' | 'machine' | null;
}

/** Options of {@link monitorTasks}. */
export interface MonitorTasksOptions {
  /**
   * The time in ms for which `longest` keeps a callback, above 0. `Infinity`: until the monitor is
   * reset. All other values count from the start in any case. Default: `Infinity`.
   */
  window?: number | undefined;
}

/**
 * Creates a monitor of the tasks of this thread. Like Node's `monitorEventLoopDelay()`, the monitor
 * is disabled at first. Tasks have no overhead while no monitor is enabled and nothing else watches
 * tasks. An extension to the web's API.
 *
 * @throws {TypeError} if an option is invalid (`ERR_INVALID_ARG_TYPE`, `ERR_INVALID_ARG_VALUE`,
 * `ERR_OUT_OF_RANGE`).
 */
export declare function monitorTasks(options?: MonitorTasksOptions | null): TaskMonitor;

/** Options of {@link reportSlowTasks}. */
export interface ReportSlowTasksOptions {
  /** Reports callbacks that blocked the thread for more than this many ms. Default: 50. */
  duration?: number | undefined;
  /** Reports tasks that waited for more than this many ms. Default: `Infinity`, none. */
  wait?: number | undefined;
  /**
   * Whether reports list the functions that used the time of a slow callback. Another thread reads
   * the stack while something blocks the main thread, from 20 ms on.
   *
   * `'profile'`, and `true` where that is not possible (in workers, without `--allow-worker`),
   * keeps V8's sampling profiler on, which also names native calls that are the last act of a
   * callback. That costs some percent of the throughput, and its start blocks the thread for 10 to
   * 400 ms. Reports then come mostly at the end of the turn, else up to a second later; on
   * callbacks that are no tasks, if many short ones run beside them, up to ten seconds. Default:
   * false.
   */
  stacks?: boolean | 'profile' | undefined;
  /**
   * Reports a callback that has blocked the thread for this many ms while it still does, and again
   * each time that the time has doubled. As the thread cannot call `report`, another thread writes
   * the report to standard error, before a `SIGKILL` can come:
   *
   * ```text
   * uv-scheduler: stuck for 5.6 s (process 4711, thread 0, task "rebuild", user-visible)
   *     at sortOrders (/app/orders.js:12:3)
   *     at rebuild (/app/orders.js:40:5)
   * ```
   *
   * The task is missing outside of tasks. V8 has no stack of a native call until the call returns:
   * a line that begins with `no stack` is then in its place, with the child processes that were
   * started meanwhile, and the stack follows if the call returns. That line also says why there is
   * no stack on Bun, on Deno, and if the inspector is missing or not permitted. A process that was
   * stopped, a machine that slept, and a thread that a debugger has paused are not reported.
   *
   * When the callback has ended, it is reported whatever its `duration` is, with {@link
   * SlowCallback.stuck}. The other thread takes about 10 MB. Both threads wake up eight times in
   * this time, and the first report comes within one and a half times of it. Default: `Infinity`,
   * none.
   */
  stuckAfter?: number | undefined;
  /**
   * Stops the reports when this signal is aborted. An `abort` event that user code dispatches on
   * the signal has no effect. Default: none.
   */
  signal?: AbortSignal | undefined;
}

/** A function that used time of a slow callback. Work of V8 itself has no source position. */
export interface SlowFunction {
  /** The name of the function, or V8's name for its own work: `(garbage collector)`. */
  functionName: string;
  /** The file or URL of the source; with source maps enabled in Node, of the original source. */
  scriptName: string;
  /** Where the function begins, counted from 1. */
  lineNumber: number;
  /** The column where the function begins, counted from 1. */
  columnNumber: number;
  /** The time in ms of the function itself. */
  self: number;
  /** The time in ms of the function, including its calls. */
  total: number;
  /** The line of the function itself that took most time, counted from 1, if it is known. */
  hottestLine?: number | undefined;
  /** The line where the function was most of the time, also in its calls. Not with `'profile'`. */
  line?: number | undefined;
}

/** A callback that blocked the thread for long. */
export interface SlowCallback {
  /** Distinguishes this report from a {@link LongWait}. */
  type: 'duration';
  /**
   * `'other'`: callbacks outside of tasks, such as timers and I/O callbacks. Without `stacks`, all
   * such callbacks between two tasks, or between a task and the end of the check phase, count as
   * one. The rendering of a section of `<Scheduled>` is a `'task'` with the label `Scheduled`.
   */
  kind: 'task' | 'continuation' | 'idle-callback' | 'other';
  /** As in {@link TaskMessage}; empty for idle callbacks and `'other'`. */
  label: string;
  /** The priority at the start; `undefined` for `'other'`. */
  priority: TaskPriority | undefined;
  /** As in {@link TaskMessage}; `undefined` for idle callbacks, sections and `'other'`. */
  id: number | undefined;
  /** As in {@link TaskMessage}. */
  parentId: number | undefined;
  /**
   * When the callback began, or the reports began if that was later; in ms on the clock of
   * `performance.now()`.
   */
  startedAt: number;
  /**
   * The time in ms for which it blocked the thread from then on. Ticks and microtasks behind the
   * report count for themselves.
   */
  duration: number;
  /**
   * With `stacks`: the functions with the most time of their own, at most ten. Garbage collections
   * are not told apart in reports that come in a tick.
   */
  functions?: SlowFunction[];
  /** With `stacks`: the call stack with the most time, the innermost call first. */
  stack?: SlowFunction[];
  /** With `stuckAfter`: the reports that were written while the callback was under way. */
  stuck?: [StuckReport, ...StuckReport[]];
}

/** A report that another thread has written while a callback blocked this one. */
export interface StuckReport {
  /** The time in ms for which the callback had blocked the thread by then, at least. */
  duration: number;
  /** The stack by then, in the form of `error.stack` without its first line, if it is known. */
  stack: string | undefined;
}

/** Work that blocked the thread while a task waited. */
export interface Blocker {
  /**
   * `'task'`: the tasks and continuations of one label and priority. `'idle'`: the thread was free
   * while background tasks were paused. `'unknown'`: the part of the wait before the reports began.
   * Only `'task'` has a label and a priority. Beyond a hundred labels, the tasks of the labels with
   * the least time are one entry without label and priority.
   */
  kind: 'task' | 'idle-callback' | 'other' | 'garbage-collection' | 'idle' | 'unknown';
  /** The label of the tasks; otherwise empty. */
  label: string;
  /** The priority of the tasks; otherwise `undefined`. */
  priority: TaskPriority | undefined;
  /** The sum in ms, without garbage collections. */
  time: number;
  /** `time` as a share of the whole wait, from 0 to 1. */
  share: number;
}

/** A task that awaited a {@link SharedTask} when the shared task started. */
export interface Awaiter {
  /** As in {@link TaskMessage}; empty if the `join()` was called outside of tasks. */
  label: string;
  /** The priority of the code that called `join()`. */
  priority: TaskPriority;
  /** The time in ms for which it had awaited the shared task by then. */
  awaitedFor: number;
}

/** A task or continuation that waited for long, and started after the reports began. */
export interface LongWait {
  /** Distinguishes this report from a {@link SlowCallback}. */
  type: 'wait';
  /** Whether a task waited, or the continuation of one. */
  kind: 'task' | 'continuation';
  /** As in {@link TaskMessage}. */
  label: string;
  /** The priority at the start. */
  priority: TaskPriority;
  /** As in {@link TaskMessage}. */
  id: number;
  /** As in {@link TaskMessage}. */
  parentId: number | undefined;
  /** When it was queued, after its delay, in ms on the clock of `performance.now()`. */
  queuedAt: number;
  /** When it started, in ms on the clock of `performance.now()`. */
  startedAt: number;
  /** The wait in ms, including the time before the reports began. */
  wait: number;
  /**
   * The work that blocked the thread meanwhile, longest first. Never empty; the shares add up to 1.
   */
  waitedFor: [Blocker, ...Blocker[]];
  /**
   * If the task belongs to a {@link SharedTask} or was posted by one: the tasks that awaited the
   * shared task when this task started, at most ten, the most urgent one first. An entry that is
   * more urgent than `priority` shows a priority inversion. Tasks that joined before the reports
   * began are missing.
   */
  awaitedBy?: [Awaiter, ...Awaiter[]];
  /**
   * The option of `postTask()` that would have shortened the wait. Present if a task without a
   * `fairnessKey` waited, and meanwhile the continuations of one other task of its priority,
   * without a key as well, took more than the bound `wait` in sum, none of them alone.
   * Continuations of code outside of tasks count as those of one task.
   */
  hint?: 'fairnessKey';
}

/**
 * A continuation that became user-visible although its task is not, because the `signal` of
 * `yield()` or `wait()` was no {@link TaskSignal} and no `priority` was given. Reported once for
 * each place.
 */
export interface LostPriority {
  /** Distinguishes this report from the others. */
  type: 'priority';
  /** The file or URL, the line and the column of the call, with colons between them. */
  place: string;
  /** The priority of the task, which `priority: 'inherit'` would have kept. */
  inherited: 'background' | 'user-blocking';
  /** The priority of the continuation. */
  priority: 'user-visible';
}

/**
 * Reports callbacks that block this thread for long, including callbacks outside of tasks, tasks
 * that wait for long, and continuations that lose the priority of their task. An extension to the
 * web's API.
 *
 * @param report Called with each report: on a task, and with `stacks` on any callback, in a tick
 * behind it, while a span of its request is open; with V8's profiler and on waits in a later
 * immediate; or when the process exits. Has the `AsyncLocalStorage` values of the task, of the code
 * outside of tasks that called `yield()` or `wait()`, or of the code that blocked; without `stacks`
 * those of other callbacks are unknown. An error that it throws is an uncaught exception.
 * @throws {TypeError} if an argument is invalid (`ERR_INVALID_ARG_TYPE`, `ERR_INVALID_ARG_VALUE`,
 * `ERR_OUT_OF_RANGE`).
 * @throws {Error} if `stacks` is true and there is no profiler of V8: on Bun, on Deno, and in Node
 * that was built without the inspector; or if `stuckAfter` is given and Node runs with
 * `--permission` but without `--allow-worker`.
 */
export declare function reportSlowTasks(
  report: (report: SlowCallback | LongWait | LostPriority) => void,
  options?: ReportSlowTasksOptions | null,
): TaskWatcher;

/**
 * A trace, reports, or an exporter of metrics, which watches tasks until it is stopped. Declared by
 * `using`, it stops at the end of the scope.
 */
export interface TaskWatcher extends Disposable {
  /** Stops watching. Further calls do nothing. Works without a receiver. Never throws. */
  stop(this: void): void;
}

/** Options of {@link traceTasks}. */
export interface TraceTasksOptions {
  /** Completes the file and stops when this signal is aborted. Default: none. */
  signal?: AbortSignal | undefined;
}

/**
 * Writes a Chrome trace of the tasks of this thread to a file, for https://ui.perfetto.dev and
 * `chrome://tracing`. The trace has a lane for each priority and one for the turns of the loop.
 * Arrows lead from the post of a task to its start, from each `join()` of a {@link SharedTask} to
 * its run, and from the end of that run to the tasks that waited. Events are written in chunks, at
 * least once per second while the loop turns, and when the process exits. The step under way is
 * written when it starts, except for some steps in dense bursts of tasks, so the file of a process
 * that hangs and is killed ends with the step that hung. Viewers also open an incomplete file.
 *
 * If the environment variable `UV_SCHEDULER_TRACE` names a file, every process and thread that
 * loads the package writes such a trace; if the file cannot be opened, the process emits a warning
 * and continues. If the disk is full, the trace ends with a warning. An extension to the web's API.
 *
 * @param file The path of the file, which is overwritten. `${pid}` and `${tid}` in it become the
 *   ids of the process and of the thread.
 * @returns an object whose `stop()` completes the file.
 * @throws {TypeError} If `file` is not a path, or an option is invalid (`ERR_INVALID_ARG_TYPE`,
 *   `ERR_INVALID_ARG_VALUE`).
 * @throws {Error} If the file cannot be opened, with the code of the file system (`ENOENT`,
 *   `EACCES`, …), whose error is the `cause`.
 */
export declare function traceTasks(file: string, options?: TraceTasksOptions | null): TaskWatcher;

/** The message about one task or continuation, passed by all diagnostics channels. */
export interface TaskMessage {
  /** Unique in its thread. */
  readonly id: number;
  /** The id of the posting task; for a continuation, the id of its task. */
  readonly parentId: number | undefined;
  /** Until the start, the priority at the post; from then on, the priority at the start. */
  readonly priority: TaskPriority;
  /** Whether the message is about a continuation, not about a whole task. */
  readonly isContinuation: boolean;
  /** The label, by default the name of the callback; for a continuation, the label of its task. */
  readonly label: string;
  /** The option `delay`, in ms. */
  readonly delay: number;
  /** When it was posted, in ms on the clock of `performance.now()`. */
  readonly postedAt: number;
  /** `postedAt` plus `delay`, in ms. */
  readonly queuedAt: number;
  /** When it started, in ms; `undefined` before. */
  readonly startedAt: number | undefined;
  /**
   * When the callback returned, in ms; for a continuation, when its code paused or ended.
   * `undefined` before.
   */
  readonly endedAt: number | undefined;
  /** How the task has ended; `undefined` before. */
  readonly outcome: 'completed' | 'failed' | 'aborted' | undefined;
  /** The value with which the promise was fulfilled. */
  readonly result: unknown;
  /** The error with which the promise was rejected. */
  readonly error: unknown;
}
