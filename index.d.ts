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
 * error with the code `ERR_UV_SCHEDULER_UNSUPPORTED`, so that a library can fall back. Where the
 * addon does not load, the same core runs as WebAssembly, with a warning.
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

/** Options of {@link pieces}. */
export interface PiecesOptions {
  /**
   * The priority of the continuations. `'inherit'`: the priority that `yield()` would inherit where
   * `pieces()` is called. With `'inherit'` and without `signal`, no abort is inherited. Use this in
   * a `finally` that must complete. Default: the priority of `signal` if it is a
   * {@link TaskSignal}, otherwise the inherited one.
   */
  priority?: TaskPriority | 'inherit' | undefined;
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
 * `next()`, and each item is read only after the previous one was taken. Overlapping calls of
 * `next()` wait for each other. So the result can be streamed: `Readable.from(pieces(chunks))`.
 * Leaving the loop closes the source. If a sync source has promises or other thenables as items,
 * their values are the items, as in any `for await`, and a rejected promise closes the source. Each
 * element of an array is read once.
 *
 * When the signal is aborted, all calls of `next()` that wait are rejected with the signal's reason
 * at once, also while the source is silent. The source is closed: its `return()` is called, and not
 * awaited. Every later call is rejected with the same reason. If no call waits, the next one
 * closes the source. A stream or an async generator that is silent closes when it continues, so
 * pass the signal to the source as well.
 *
 * The continuations run before the tasks of their priority, unless the loop is part of a request of
 * `uv-scheduler/http`, or of a task with a `fairnessKey`: then these share the thread by time. If
 * only continuations of the same priority wait, the iteration yields when its stint is over, see
 * {@link shouldYield}.
 *
 * If each item takes only a few microseconds, the iteration checks at every fourth to sixteenth
 * item, and at the first item after a task was posted. An extension to the web's API.
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
   * of weight 1. A number above 0, clamped to the range from 10^-6 to 10^6. An error without a
   * `fairnessKey`. Default: the weight that the key has, which is 1 at first and again once an idle
   * key was forgotten. An extension to the web's API.
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
 * Options of {@link Scheduler.yield} and {@link Scheduler.wait}. Without options, signal and
 * priority are inherited. An extension to the web's API: earlier versions of the specification had
 * them.
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
  priority?: TaskPriority | 'inherit' | undefined;
  /**
   * Whether the waiting continuation keeps the process alive. If false, the continuation runs only
   * if something else keeps the process alive. Not inherited. Default: true. An extension to the
   * web's API.
   */
  ref?: boolean | undefined;
}

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
  wait(delay: number, options?: SchedulerYieldOptions | null): Promise<void>;
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
  options?: SchedulerYieldOptions | null,
): Promise<void>;

/** Options of {@link drain}. */
export interface DrainOptions {
  /** Tasks below this priority are rejected. Default: `'user-visible'`. */
  keep?: TaskPriority | undefined;
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
 * 1. Tasks below `keep` are rejected with an `AbortError`: waiting tasks, tasks that are posted
 *    from now on, and waiting tasks whose priority is lowered below `keep`. Delayed tasks of
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
 * An `AbortController` that can also change the priority of its tasks.
 *
 * Source: The TaskController Interface.
 */
export declare class TaskController extends AbortController {
  /**
   * @param init `priority`: the initial priority of the signal. Default: `'user-visible'`.
   * @throws TypeError if `init` or its `priority` is invalid.
   */
  constructor(init?: { priority?: TaskPriority | undefined } | null);

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

// The types of listeners, as in the DOM.
interface SignalEvents {
  /** Fired once, when the signal is aborted. */
  abort: Event;
  /** Fired when the priority of the signal has changed. */
  prioritychange: TaskPriorityChangeEvent;
}
interface SignalListenerOptions {
  /** Default: false. */
  capture?: boolean | undefined;
  /** Default: false. */
  once?: boolean | undefined;
  /** Default: false. */
  passive?: boolean | undefined;
  /** Default: none. */
  signal?: AbortSignal | undefined;
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
   * @param init `priority`: a fixed priority, or a signal whose priority is followed. Default:
   * `'user-visible'`.
   * @throws TypeError if an argument is invalid.
   */
  static any(
    signals: Iterable<AbortSignal>,
    init?: { priority?: TaskPriority | TaskSignal | undefined } | null,
  ): TaskSignal;

  /** The priority of tasks that follow this signal. */
  readonly priority: TaskPriority;

  /** Called when the priority has changed. Default: `null`. */
  onprioritychange: ((this: TaskSignal, event: TaskPriorityChangeEvent) => unknown) | null;

  /**
   * Adds a listener, as in the DOM.
   *
   * @throws TypeError if an argument is missing or invalid.
   */
  addEventListener<K extends keyof SignalEvents>(
    type: K,
    listener: (this: TaskSignal, event: SignalEvents[K]) => unknown,
    options?: boolean | SignalListenerOptions,
  ): void;
  addEventListener(
    type: string,
    listener: ((event: Event) => void) | { handleEvent(event: Event): void },
    options?: boolean | SignalListenerOptions,
  ): void;
  /**
   * Removes a listener, as in the DOM.
   *
   * @throws TypeError if an argument is missing.
   */
  removeEventListener<K extends keyof SignalEvents>(
    type: K,
    listener: (this: TaskSignal, event: SignalEvents[K]) => unknown,
    options?: boolean | SignalListenerOptions,
  ): void;
  removeEventListener(
    type: string,
    listener: ((event: Event) => void) | { handleEvent(event: Event): void },
    options?: boolean | SignalListenerOptions,
  ): void;
}

/**
 * The `prioritychange` event of a {@link TaskSignal}, fired when its priority has changed.
 *
 * Source: The TaskPriorityChangeEvent Interface.
 */
export declare class TaskPriorityChangeEvent extends Event {
  /**
   * @param priorityChangeEventInitDict As of an `Event`, with the required `previousPriority`.
   * @throws TypeError if an argument is missing or invalid.
   */
  constructor(
    type: string,
    priorityChangeEventInitDict: {
      previousPriority: TaskPriority;
      bubbles?: boolean | undefined;
      cancelable?: boolean | undefined;
      composed?: boolean | undefined;
    },
  );

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
  priority?: TaskPriority | 'inherit' | TaskSignal | undefined;
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

/**
 * Runs `callback` when not even a background task is runnable. A callback that is requested in an
 * idle callback runs in the next turn of the loop at the earliest. An error that `callback` throws
 * is an uncaught exception.
 *
 * @param options `timeout`: the time in ms after which the callback runs as a user-visible task.
 * Default: never. `ref`, an extension to the web's API: whether the waiting callback keeps the
 * process alive. If false, the callback runs only if something else keeps the process alive. Not
 * inherited. Default: true.
 * @returns a handle for {@link cancelIdleCallback}.
 * @throws TypeError if an argument is invalid.
 *
 * Source: "Cooperative Scheduling of Background Tasks".
 */
export declare function requestIdleCallback(
  callback: (deadline: IdleDeadline) => unknown,
  options?: { timeout?: number | undefined; ref?: boolean | undefined } | null,
): number;

/**
 * Cancels an idle callback. Does nothing if it has run already or does not exist.
 *
 * @throws TypeError if `handle` is missing or cannot be converted to a number.
 */
export declare function cancelIdleCallback(handle: number): void;

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
   * most one overdue background task. In ms by priority, above 0; `Infinity`: never. A priority
   * that is not given keeps its bound. Default: `Infinity`.
   */
  maxWait?:
    | {
      /** In ms. Default: `Infinity`. */
      'user-visible'?: number | undefined;
      /** In ms. Default: `Infinity`. */
      background?: number | undefined;
    }
    | null
    | undefined;

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
 * `monitorTasks()` of `uv-scheduler/watch` shows the time of pauses and their reason. An extension
 * to the web's API.
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
   * The scheduler of this process: the addon, WebAssembly, or none: with the environment
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
 * Creates another scheduler on the same event loop, as each window of a browser has its own. All
 * schedulers share one order of tasks. In a task, only the scheduler that the task was posted to
 * inherits the task's signal and priority. Never throws. An extension to the web's API.
 */
export declare function createScheduler(): Scheduler;

export {};
