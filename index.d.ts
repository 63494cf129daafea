/**
 * Prioritized task scheduling for Node: the web's `scheduler`, drained from libuv's own hooks.
 *
 * The interfaces are those of the WICG specification "Prioritized Task Scheduling"
 * (https://wicg.github.io/scheduling-apis/); section names below are that specification's.
 *
 * Errors have a `code`, as in Node: a `TypeError` has `ERR_INVALID_ARG_TYPE`,
 * `ERR_INVALID_ARG_VALUE` (an unknown priority), `ERR_OUT_OF_RANGE` (a delay), `ERR_INVALID_THIS`
 * or `ERR_ILLEGAL_CONSTRUCTOR`. An error with the code `ERR_UV_SCHEDULER_CYCLE` says that shared
 * tasks would wait for each other. Loading the package in a host that it does not support throws an
 * error with the code `ERR_UV_SCHEDULER_UNSUPPORTED`, so that a library can do without it.
 *
 * All times are in milliseconds (ms), as `performance.now()` has them. An option that does not exist
 * is refused with `ERR_INVALID_ARG_VALUE`, except by what takes the web's dictionaries, which ignore
 * such members: `postTask()`, `yield()`, `wait()`, `TaskController`, `TaskSignal.any()` and
 * `requestIdleCallback()`.
 *
 * For TypeScript 5.4 and later. `AbortSignal`, `Event` and the like are those of `@types/node`, or
 * of the `dom` or `webworker` library; one of them must be loaded. TypeScript 6 and later load
 * `@types/node` only if the option `types` names it.
 *
 * Since TypeScript 6 those libraries declare a `Scheduler` of their own. This one is assignable to
 * it, and the other way round only without `wait()`. `postTask()` here returns the type of its
 * callback's result instead of `Promise<any>`, and a `TaskController` here has a `TaskSignal`. The
 * libraries also let `Scheduler` and `TaskSignal` be constructed, which throws.
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

/** The priority of a continuation: a fixed one, or that of the task that yields. */
export type ContinuationPriority = TaskPriority | 'inherit';

/** Options of {@link Scheduler.postTask}. */
export interface SchedulerPostTaskOptions {
  /**
   * Aborts the task: its promise is then rejected with the signal's reason. If the signal is a
   * {@link TaskSignal} and `priority` is not set, the task's priority follows the signal's. Default:
   * none.
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
   * Shares the thread between tasks of one priority by the thread time that they use instead of by
   * the order in which they were posted. The key is a string of at most 120 characters, such as the
   * id of a tenant. Of several keys, the one goes next that has used the least thread time for its
   * weight; all tasks without a key are one more, of weight 1. Inside a key, the task goes next that
   * was posted first of those that have used little. Its continuations belong to it. 10,000 keys are
   * told apart, and the rest share one. Default: no key, or that of the request whose signal the
   * task has. An extension to the web's API.
   */
  fairnessKey?: string | undefined;
  /**
   * The weight of the key from now on: a key of weight 3 gets three times the thread time of a key
   * of weight 1. A number above 0; below 10^-6 and above 10^6 it counts as these. Without a
   * `fairnessKey` it is the weight of the key `''`. Default: 1. An extension to the web's API.
   */
  fairnessWeight?: number | undefined;
  /**
   * A name for the task, of which 120 characters are kept. Default: the name of the callback. An
   * extension to the web's API.
   */
  label?: string | undefined;
  /**
   * After how many milliseconds in its queue the task is overdue, above 0; `Infinity`: never. It
   * counts in place of the `maxWait` of {@link configure}, also if the priority changes; while that
   * is `'user-blocking'`, the task cannot be overdue. Each continuation of the task has the same
   * bound, counted from when it is queued. Default: what is configured. An extension to the web's
   * API.
   */
  maxWait?: number | undefined;
  /**
   * Whether the task keeps the process alive while it waits. If not, it runs only if the process
   * lives for another reason. Not inherited. Default: true. An extension to the web's API.
   */
  ref?: boolean | undefined;
}

/**
 * Options of {@link Scheduler.yield}. Without options, signal and priority are inherited. An
 * extension to the web's API: earlier versions of the specification had them.
 */
export interface SchedulerYieldOptions {
  /**
   * Aborts the continuation. `'inherit'`: the signal of the task that yields. Default: `'inherit'`, or
   * none if `priority` is set.
   */
  signal?: AbortSignal | 'inherit' | undefined;
  /**
   * The priority of the continuation. `'inherit'`: the priority of the task that yields. Default: the
   * priority of `signal` if it is a {@link TaskSignal}, `'inherit'` if `signal` is not set or is
   * `'inherit'`, otherwise `'user-visible'`.
   */
  priority?: ContinuationPriority | undefined;
  /**
   * Whether the continuation keeps the process alive while it waits. If not, it runs only if the
   * process lives for another reason. Not inherited. Default: true. An extension to the web's API.
   */
  ref?: boolean | undefined;
}

/**
 * Options of {@link Scheduler.wait}, which are those of {@link Scheduler.yield}. An extension to the
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
   * this call.
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
   * the same priority.
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
   * Ends the current task and continues when `delay` milliseconds have passed, in a continuation
   * that inherits as that of {@link yield}. Then it is queued, so background code may wait for
   * longer. A delay of 0 is `yield()`. Never throws. An extension to the web's API.
   *
   * @param delay from 0 to 2^53-1.
   * @returns a promise that is fulfilled when the continuation runs. It is rejected with the
   * signal's reason if the signal is aborted before, or with a `TypeError` if an argument is
   * invalid or the delay is missing.
   */
  wait(delay: number, options?: SchedulerWaitOptions | null): Promise<void>;
}

/** The scheduler of this environment. The main thread and each worker have their own. */
export declare const scheduler: Scheduler;

/**
 * Creates another scheduler on the same event loop, as another window has one in a browser. All of
 * them share one order of tasks. In a task, only the scheduler that it was posted to inherits its
 * signal and priority. An extension to the web's API.
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
  capture?: boolean | undefined;
  once?: boolean | undefined;
  passive?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

/** An event listener, as in the DOM. */
export type TaskSignalListener = ((event: Event) => void) | { handleEvent(event: Event): void };

/** The events of a {@link TaskSignal}. */
export interface TaskSignalEventMap {
  abort: Event;
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
   * Creates a signal that is aborted when one of `signals` is, and whose priority is fixed or
   * follows that of another signal.
   *
   * @throws TypeError if an argument is invalid.
   */
  static any(signals: Iterable<AbortSignal>, init?: TaskSignalAnyInit | null): TaskSignal;

  /** The priority of tasks that follow this signal. */
  readonly priority: TaskPriority;

  /** Called when the priority has changed. */
  onprioritychange: ((this: TaskSignal, event: TaskPriorityChangeEvent) => unknown) | null;

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
  previousPriority: TaskPriority;
  bubbles?: boolean | undefined;
  cancelable?: boolean | undefined;
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
   * A name for the task of each run, of which 120 characters are kept. Default: the name of the
   * callback.
   */
  label?: string | undefined;
  /**
   * Whether a run is aborted when the last `join()` that waits for it is ended by its signal. A run
   * that has not started is then removed from its queue. The signal of one that has started is
   * aborted with an `AbortError`, and a `join()` that comes before it has settled waits for another
   * run behind it. Default: false.
   */
  abortWhenUnused?: boolean | undefined;
}

/** Options of {@link SharedTask.join}. */
export interface SharedTaskJoinOptions {
  /**
   * The priority with which this call waits: a fixed one, or that of a signal, which is followed.
   * `'inherit'`: that of the task that calls, followed if it can change, and `'user-visible'`
   * outside of tasks. Default: the priority of `signal` if it is a {@link TaskSignal}, otherwise
   * `'inherit'`.
   */
  priority?: ContinuationPriority | TaskSignal | undefined;
  /** Ends this wait, and no other, with its reason. Default: none. */
  signal?: AbortSignal | undefined;
}

/**
 * Work that several callers need at once, such as filling a cache. It runs once for all of them,
 * and is as urgent as the most urgent one that waits for it:
 *
 * ```js
 * const loadMenu = new SharedTask(() => readMenu());
 * const menu = (cached ??= await loadMenu.join());
 * ```
 *
 * While no run is under way, {@link join} posts a task that calls the callback. Until that task has
 * settled, each further `join()` waits for it. Then the next one runs the callback again: a shared
 * task is no cache.
 *
 * The priority of a run is the highest of its own and of those of all that wait for it now. It
 * changes as they come, as they leave, and as their priorities change; so do the priorities of all
 * that the run awaits by `scheduler.yield()`, of any scheduler, and of the shared tasks that it
 * joins. The values of `AsyncLocalStorage` in a run are those of the `join()` that began it.
 * {@link drain} and {@link onIdle} count a run as one task of its current priority. An extension to
 * the web's API.
 */
export declare class SharedTask<T> {
  /** @throws TypeError if an argument is invalid. */
  constructor(callback: () => T | PromiseLike<T>, options?: SharedTaskOptions | null);

  /**
   * Waits for the run under way, or begins one. It needs no receiver: `const { join } = task`. If the
   * task that calls it has a `maxWait`, the run is user-visible once that time has passed.
   *
   * A call counts until the run has settled or its signal is aborted, also if its promise is
   * dropped. Never throws.
   *
   * @returns a promise for the result of the run, which is rejected with the error of the run, with
   * the signal's reason, with a `TypeError` if an option is invalid, or with an `AbortError` if
   * {@link drain} refuses the run. If the code of a run joins that run, or another one that waits
   * for it, the promise is rejected with an error that has the code `ERR_UV_SCHEDULER_CYCLE` and
   * names them; code in tasks, timers and events that a run has started is not known as its own. An
   * error of a run that no call waits for any more is no unhandled rejection.
   */
  join(this: void, options?: SharedTaskJoinOptions | null): Promise<T>;

  /** The priority of the run under way; without one, that of the options. */
  readonly priority: TaskPriority;

  /** How many calls of {@link join} wait now. */
  readonly joined: number;

  /** Whether a run is under way: from the `join()` that begins it until it has settled. */
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
   * The time in milliseconds that the callback may still take: at most 50, no longer than until
   * the next timer is due, and 0 once I/O is ready.
   */
  timeRemaining(): number;
}

/** Options of {@link requestIdleCallback}. */
export interface IdleRequestOptions {
  /** Time in milliseconds after which the callback runs as a user-visible task. Default: never. */
  timeout?: number | undefined;
  /**
   * Whether the callback keeps the process alive while it waits. If not, it runs only if the
   * process lives for another reason. Not inherited. Default: true. An extension to the web's API.
   */
  ref?: boolean | undefined;
}

/**
 * Runs `callback` when not even a background task is runnable. One that is requested in an idle
 * callback runs in the next turn of the loop at the earliest. Errors that it throws are uncaught
 * exceptions.
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

/** Cancels an idle callback. Does nothing if it has run already or does not exist. */
export declare function cancelIdleCallback(handle: number): void;

/**
 * Whether the running code should give way: whether its time slice is used up, or something else
 * would run before it went on after a `yield()`. Otherwise a `yield()` would come straight back. A
 * loop can ask in every turn:
 *
 * ```js
 * if (shouldYield()) await scheduler.yield();
 * ```
 *
 * Beside continuations of the same priority alone, the code has a turn: the answer is no until the
 * code has run about as long as the longest turn of one of them in the last two rounds, at least
 * 1 ms and at most the time slice. So code with short pieces and code with long ones get about as
 * much of the thread. A turn begins with the task, and outside of tasks with the first question.
 *
 * The priority is that which `yield()` inherits. So I/O that is ready counts for user-visible code,
 * a due timer once the code has had its head start, and for background code everything that is
 * runnable. For user-blocking code only tasks of that priority count, and the slice. Time in which
 * the loop has slept does not count as use of the slice. Work that the thread pool has completed,
 * such as reading a file, counts as ready I/O until the loop wakes up for it; its callbacks that are
 * yet to be called then are not seen.
 *
 * A loop that asks more often than every 10 µs gets a new answer at every fourth call, and at the
 * first one after it has posted a task. So after quick turns, three slow ones can go unseen. An
 * extension to the web's API.
 */
export declare function shouldYield(): boolean;

/** Options of {@link pieces}. */
export interface PiecesOptions {
  /**
   * The priority of its continuations. `'inherit'` is the one that `yield()` would inherit where
   * `pieces()` is called; without `signal` no abort is inherited then, as for work in a `finally`
   * that must end. Default: that of `signal`, if it is a {@link TaskSignal}, else the inherited one.
   */
  priority?: ContinuationPriority | undefined;
  /**
   * Ends the iteration when it is aborted. Default: the signal that `yield()` would inherit where
   * `pieces()` is called.
   */
  signal?: AbortSignal | undefined;
}

/**
 * Returns the items of an iterable as an async iterable that gives way to other work between two
 * items, as code does that asks {@link shouldYield} there and then yields:
 *
 * ```js
 * for await (const row of pieces(rows)) html += render(row);
 * ```
 *
 * It can be read once, and is an iterator itself. Its source is opened when the first item is asked
 * for, each item is asked for when the last one was taken, and overlapping calls of `next()` wait
 * for each other. So it streams: `Readable.from(pieces(chunks))`. Leaving the loop closes the
 * source. If a sync source has promises or other thenables as items, their values are the items, as
 * in any `for await`, and a rejected one closes the source. Each element of an array is read once.
 *
 * When the signal is aborted, the next call of `next()` closes the source and is rejected with the
 * signal's reason. A call that waits for an async source is not interrupted: it is rejected once
 * the source has answered, and the item is dropped.
 *
 * Beside continuations of the same priority it yields when its turn is over, see
 * {@link shouldYield}.
 *
 * While items are taken within a few microseconds each, it asks at every fourth to sixteenth one
 * alone, and at the first one after a task was posted. An extension to the web's API.
 *
 * @throws TypeError if `iterable` is neither an iterable nor an async iterable, or if an option is
 * invalid.
 */
export declare function pieces<T>(
  iterable: AsyncIterable<T>,
  options?: PiecesOptions | null,
): AsyncIterableIterator<T>;
export declare function pieces<T>(
  iterable: Iterable<T>,
  options?: PiecesOptions | null,
): AsyncIterableIterator<Awaited<T>>;

/**
 * Returns the signal that aborts the code that asks: the signal whose abort `scheduler.yield()`
 * would inherit; in a request that `createAdmission()` of `uv-scheduler/http` has admitted, that of
 * its client, a {@link TaskSignal}; `undefined` elsewhere. The signal is inherited as the scheduling
 * state is; within an admitted request also in the callbacks of timers and I/O. So work ends at any
 * depth when its client has left, if it asks for that:
 *
 * ```js
 * for await (const row of pieces(rows, { signal: currentTaskSignal() })) html += render(row);
 * const answer = await fetch(url, { signal: currentTaskSignal() });
 * ```
 *
 * An extension to the web's API.
 */
export declare function currentTaskSignal(): TaskSignal | AbortSignal | undefined;

/** Options of {@link onIdle}. */
export interface OnIdleOptions {
  /** Rejects the promise with its reason when it is aborted. Default: none. */
  signal?: AbortSignal | undefined;
}

/**
 * Waits until no task and no continuation of this environment is queued, delayed or running. A task
 * runs until its promise settles. Those with `ref: false` do not count, nor do idle callbacks, nor
 * the task that asks. Tasks that all ask do not wait for each other. An extension to the web's API.
 *
 * The task that asks is known if it asks before its callback has returned. From the first call in a
 * process on, it is known in the whole chain of tasks that start later, but not in the timers and
 * I/O callbacks that it starts; tasks then take some percent longer, and before Node 24 every
 * `await` does. A task that is not known waits for itself, and so does one that awaits a task that
 * asks. Contexts of `vm` have tasks of their own.
 *
 * While it waits, background work is not held for the container's quota or for other processes (see
 * {@link IdleScope}). Does not keep the process alive. Never throws.
 *
 * @returns a promise that is fulfilled at once if nothing waits or runs now. It is rejected with
 * the signal's reason, or with a `TypeError` if an argument is invalid.
 */
export declare function onIdle(options?: OnIdleOptions | null): Promise<void>;

/** Options of {@link drain}. */
export interface DrainOptions {
  /** Tasks below this priority are rejected. Default: `'user-visible'`. */
  priority?: TaskPriority | undefined;
  /**
   * The time in milliseconds after which all that has not settled is rejected, from 0 to 2^53-1 or
   * `Infinity`. Default: `Infinity`.
   */
  timeout?: number | undefined;
  /** Ends the draining when it is aborted. Tasks that were rejected stay rejected. Default: none. */
  signal?: AbortSignal | undefined;
}

/** What became of tasks while {@link drain} waited: their number by outcome and priority. */
export interface DrainResult {
  /** Tasks whose promise was fulfilled. */
  completed: Record<TaskPriority, number>;
  /** Tasks that threw, or whose result was rejected. */
  failed: Record<TaskPriority, number>;
  /**
   * Tasks that were rejected with the reason of their signal, or with an `AbortError` of Node's own
   * APIs whose `cause` is the reason; and tasks that the draining rejected.
   */
  aborted: Record<TaskPriority, number>;
}

/**
 * Lets the tasks that matter finish, for shutting down. Call it when no more requests are taken. An
 * extension to the web's API.
 *
 * 1. Tasks below `priority` are rejected with an `AbortError`, those that wait, those that are
 *    posted from now on, and waiting ones whose priority is lowered that far. So are delayed tasks
 *    of any priority. Idle callbacks are cancelled.
 * 2. The others run, and so do continuations and waits of chains that have begun, whatever their
 *    priority. The task that asks is not counted (see {@link onIdle}), nor is one with
 *    `ref: false` waited for.
 * 3. At `timeout` whatever is unsettled is rejected with a `TimeoutError`, though its code may still
 *    run. Until then a `timeout` keeps the process alive.
 *
 * What it rejects counts as handled, so a task that nobody awaits needs no `catch` for it. Promises
 * that are derived from the task's report as usual.
 *
 * While it waits, background work is not held for the container's quota or for other processes (see
 * {@link IdleScope}). Afterwards the scheduler takes tasks again. A call during a draining joins it, and can only make
 * it stricter: a higher priority, an earlier timeout. Never throws.
 *
 * @returns a promise for what became of the tasks. It is rejected with the signal's reason, or with
 * a `TypeError` if an argument is invalid.
 */
export declare function drain(options?: DrainOptions | null): Promise<DrainResult>;

/**
 * After how many milliseconds queued work is overdue, by priority. Each counts for tasks and for
 * continuations. `Infinity`: never. A priority that is not given keeps its bound.
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
   * The time in milliseconds that tasks may hold one turn of the event loop while I/O, a timer or
   * an immediate waits. Default: 5.
   */
  timeSlice?: number | undefined;

  /**
   * Bounds the wait of queued work, counted from when it was posted, or its delay had passed.
   * Overdue work runs before user-visible continuations and after user-blocking tasks. Every check
   * phase starts at least one overdue task, even if user-blocking work has spent the time slice,
   * and at most one that is background work. Default: `Infinity` for both priorities.
   */
  maxWait?: MaxWaitByPriority | null | undefined;

  /**
   * What has to be idle before background work and idle callbacks start. Default: what the
   * environment variable `UV_SCHEDULER_IDLE` says, or else `'container'`.
   */
  idle?: IdleScope | undefined;
}

/**
 * What has to be idle before background work and idle callbacks start. On other systems than Linux,
 * all are `'loop'`.
 *
 * - `'loop'`: this event loop alone.
 * - `'container'`: also the CPU quota of the process's control group, if it has one. Background work
 *   takes what the other work leaves of it, so that the kernel need not stop the process. In a
 *   worker thread it also pauses while other threads of the group want the same processor. Without a
 *   quota nothing changes.
 * - `'machine'`: also the processor, as far as other threads want it: then background work pauses.
 *
 * Work that is held is not runnable: the loop sleeps, {@link shouldYield} says yes in background
 * code, and its `yield()` comes back when there is time again. Past its `maxWait` work is no longer
 * held. {@link onIdle} and {@link drain} lift the hold while they wait. A {@link TaskMonitor} shows
 * for how long work was held, and why. An extension to the web's API.
 */
export type IdleScope = 'loop' | 'container' | 'machine';

/**
 * Changes settings of this environment's event loop. A setting that is not given stays as it is. It
 * is for applications: a library would change the settings of the program that uses it. An extension
 * to the web's API.
 *
 * @throws TypeError if a setting does not exist, or has a value that it cannot have. Then none is
 * changed.
 */
export declare function configure(options?: ConfigureOptions | null): void;

/** The settings that {@link configuration} returns. */
export interface SchedulerConfiguration {
  /** The time in ms that tasks may use of one turn of the event loop while other work waits. */
  readonly timeSlice: number;
  /** After how many ms queued work is overdue, by priority. `Infinity`: never. */
  readonly maxWait: { readonly 'user-visible': number; readonly 'background': number };
  /** What has to be idle before background work starts. */
  readonly idle: IdleScope;
}

/**
 * Returns a copy of the settings of this environment's event loop that are in force. An extension to
 * the web's API.
 */
export declare function configuration(): SchedulerConfiguration;

declare global {
  /** Declared by TypeScript's library `esnext.disposable` and by `@types/node`, where present. */
  interface Disposable {}
}

/** A bucket of a {@link TimeDistribution}. */
export interface TimeBucket {
  /** The upper bound of the bucket in ms. `Infinity` for the last one. */
  readonly le: number;
  /** The number of times up to this bound, those of smaller buckets included. */
  readonly count: number;
}

/** The waits or durations of one priority. */
export interface TimeDistribution {
  /** The number of times. */
  readonly count: number;
  /** Their sum in ms. */
  readonly sum: number;
  /** The shortest one in ms; 0 if there are none. */
  readonly min: number;
  /** The longest one in ms; 0 if there are none. */
  readonly max: number;
  /** Their mean in ms; 0 if there are none. */
  readonly mean: number;
  /**
   * Their number by length. The bounds are fixed: 0.1 ms, then each the double of the one before up
   * to 6,553.6 ms, then `Infinity`.
   */
  readonly buckets: TimeBucket[];
  /**
   * The time in ms that so many percent of the times do not exceed, within 1 %; 0 if there are none.
   *
   * @param percent Above 0, up to 100.
   * @throws {TypeError} if `percent` is no such number (`ERR_INVALID_ARG_TYPE`, `ERR_OUT_OF_RANGE`).
   */
  percentile(percent: number): number;
  /** The same as plain values. */
  toJSON(): TimeDistributionJSON;
}

/** A {@link TimeDistribution} as plain values, for JSON and for other threads. */
export interface TimeDistributionJSON {
  count: number;
  /** In ms, as are `min`, `max` and `mean`. */
  sum: number;
  /** In ms. */
  min: number;
  /** In ms. */
  max: number;
  /** In ms. */
  mean: number;
  /** Without the last one, whose bound is `Infinity`: JSON has no such number. It has them all. */
  buckets: TimeBucket[];
  /** The times in ms that so many percent of the times do not exceed; 0 if there are none. */
  percentiles: { [percent in '50' | '75' | '90' | '99' | '99.9' | '100']: number };
}

/** What a {@link TaskMonitor} says about one priority. Continuations count with tasks. */
export interface TaskPriorityStatistics {
  /** From queued to started. A delayed task is queued when its delay has passed. */
  readonly wait: TimeDistribution;
  /**
   * How long callbacks held the thread: with the ticks and microtasks that followed, so with the
   * code after an `await` that had nothing to wait for. The code after `await scheduler.yield()` is
   * that of the continuation.
   */
  readonly duration: TimeDistribution;
  /** How many are queued now. Those that wait for their delay are not. */
  readonly queued: number;
  /**
   * How many ms the oldest queued one has waited; 0 if none is queued. For one that was queued
   * before tasks were watched it counts from then.
   */
  readonly oldest: number;
  /** How many tasks run now: they have started, and their promises have not settled. */
  readonly running: number;
  /** How many tasks were fulfilled, and continuations started. */
  readonly completed: number;
  /** How many tasks were rejected because their callbacks failed. */
  readonly failed: number;
  /** How many tasks and continuations were rejected because of a signal or of {@link drain}. */
  readonly aborted: number;
  /** The same as plain values, as of now. */
  toJSON(): TaskPriorityStatisticsJSON;
}

/** {@link TaskPriorityStatistics} as plain values, for JSON and for other threads. */
export interface TaskPriorityStatisticsJSON {
  wait: TimeDistributionJSON;
  duration: TimeDistributionJSON;
  queued: number;
  /** In ms. */
  oldest: number;
  running: number;
  completed: number;
  failed: number;
  aborted: number;
}

/** One of the callbacks that blocked the thread longest while a {@link TaskMonitor} was enabled. */
export interface LongestCallback {
  /**
   * The label of the task; by default the name of its callback. Empty if there is none. The label of
   * a continuation is that of the task that held the thread when it was posted: mostly its own.
   */
  readonly label: string;
  readonly priority: TaskPriority;
  /**
   * When it started, in ms by the clock of `performance.now()`; or when the monitor was enabled since.
   */
  readonly startedAt: number;
  /** How many ms it blocked the thread. */
  readonly duration: number;
}

/** How much time the tasks of one label took, as a {@link TaskMonitor} has measured it. */
export interface LabelTime {
  /** As in {@link LongestCallback}. */
  readonly label: string;
  /** Tasks of one label that ran with several priorities have an entry for each. */
  readonly priority: TaskPriority;
  /** How many tasks and continuations have run. */
  readonly count: number;
  /** How many ms they blocked the thread in sum, without tasks that ran inside of them. */
  readonly time: number;
  /** How many ms one of them blocked it at most. */
  readonly max: number;
}

/** What the thread did for one fairness key. */
export interface KeyTime {
  /** The key; `null` for all that are more than are told apart. */
  readonly key: string | null;
  /** Its weight: what was given last. */
  readonly weight: number;
  /** How many of its requests, or tasks that name it, have begun to wait and not ended. */
  readonly requests: number;
  /** How many ms their tasks and continuations held the thread in all, also before it was watched. */
  readonly time: number;
  /** How many ms these were queued in sum while a monitor was enabled. */
  readonly waitTime: number;
  /**
   * By priority: after how many ms of thread time requests go behind others that have used less, in
   * rising order. They are the same for all keys.
   */
  readonly levels: { readonly [priority in TaskPriority]: number[] };
}

/** Times in ms, by what the thread was used for. */
export interface ThreadTime {
  readonly 'user-blocking': number;
  readonly 'user-visible': number;
  /** Idle callbacks count as background work. */
  readonly 'background': number;
  /** In timers, I/O callbacks and all else that is no task. */
  readonly other: number;
  /** Waiting for events. */
  readonly idle: number;
}

/** How many ms background work was held for although the loop was idle, by the reason. */
export interface TaskHeldTime {
  /** The CPU quota of the container. */
  readonly container: number;
  /** Other threads that want the processor. */
  readonly machine: number;
}

/** What {@link TaskMonitor.utilization} returns: shares from 0 to 1, by the keys of {@link ThreadTime}. */
export type TaskUtilization = { readonly [use in keyof ThreadTime]: number };

/**
 * Measures the tasks of a thread: of all schedulers, also of those that other contexts of the thread
 * have loaded. All that it counts is cumulative; all values are right at any time, also inside of a
 * task.
 */
export interface TaskMonitor extends Disposable {
  readonly priorities: { readonly [priority in TaskPriority]: TaskPriorityStatistics };
  /**
   * The ten slowest callbacks, the slowest first: of those that have ended within the `window` of
   * {@link MonitorTasksOptions}, if there is one. In the oldest sixteenth of the window, slower ones
   * that have left it already can hide others.
   */
  readonly longest: LongestCallback[];
  /**
   * The fairness keys that took most time, at most 100, the one with most first. A key without
   * requests is forgotten when nothing has to be known of it.
   */
  readonly keys: KeyTime[];
  /**
   * The labels that took most time, at most 100, the one with most first. Idle callbacks are not
   * among them.
   *
   * Exact for up to 1,024 pairs of a label and a priority. From then on those with the least time
   * are dropped now and then, and one that comes back counts from there. So an entry never says too
   * much, and its `time` lacks at most 1/512 of the time of all tasks.
   */
  readonly labels: LabelTime[];
  /** Where the time went while the monitor was enabled, in ms. */
  readonly time: ThreadTime;
  /**
   * For how many ms background work and idle callbacks were held while the monitor was enabled. See
   * {@link IdleScope}. That is no share of the time: the loop waits for events
   * meanwhile, or runs other callbacks.
   */
  readonly heldTime: TaskHeldTime;
  /** What background work is held for now; `null` if it is not held. */
  readonly heldFor: 'container' | 'machine' | null;
  /** Begins to measure; a callback under way counts from here on. Returns whether that is new. */
  enable(): boolean;
  /** Stops measuring; what was measured stays. Returns whether that is new. */
  disable(): boolean;
  /** Begins again from 0; a callback under way counts from here on. */
  reset(): void;
  /**
   * The shares of the time that went to each priority, to other callbacks, and to waiting for
   * events: since the monitor was enabled first, or since an earlier call.
   *
   * `performance.eventLoopUtilization()` is 1 as soon as background work fills the loop, though no
   * request waits for that. What is `background` here gives way to requests.
   *
   * @param previous What an earlier call has returned. A result from before a `reset()`, or of
   * another monitor, is ignored.
   */
  utilization(previous?: TaskUtilization): TaskUtilization;
  /**
   * All that the monitor shows as plain values, as of now: for `JSON.stringify()`, loggers, and
   * `postMessage(monitor.toJSON())`, as a monitor itself cannot be cloned.
   */
  toJSON(): TaskMonitorJSON;
}

/** A {@link TaskMonitor} as plain values, for JSON and for other threads. */
export interface TaskMonitorJSON {
  priorities: { [priority in TaskPriority]: TaskPriorityStatisticsJSON };
  keys: KeyTime[];
  labels: LabelTime[];
  longest: LongestCallback[];
  time: ThreadTime;
  heldTime: TaskHeldTime;
  heldFor: 'container' | 'machine' | null;
}

/** Options of {@link monitorTasks}. */
export interface MonitorTasksOptions {
  /**
   * For how many ms the slowest callbacks are remembered. Above 0; default: `Infinity`, for as long
   * as the monitor is not reset. All else is counted from the start in any case.
   */
  window?: number | undefined;
}

/**
 * Creates a monitor of the tasks of this thread. It is disabled at first, like Node's
 * `monitorEventLoopDelay()`. While none is enabled, and nothing else watches, tasks pay nothing. An
 * extension to the web's API.
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
   * Whether to report in which functions the time of slow callbacks went. Node's sampling profiler is
   * then on all the time, which costs some percent of the throughput. Starting it blocks the thread
   * for 10 to 100 ms, depending on how much code is loaded. Reports on callbacks then come up to a
   * second later. Default: false.
   */
  stacks?: boolean | undefined;
  /**
   * When it is aborted, nothing more is reported. An `abort` event that is dispatched on it does not
   * count: only its attribute `aborted` does. Default: none.
   */
  signal?: AbortSignal | undefined;
}

/** A function in which the time of a slow callback went. What V8 does itself has no place. */
export interface SlowFunction {
  /** Its name, or what V8 calls what it does itself: `(garbage collector)`. */
  functionName: string;
  /** The file or URL of its source; of the one that it was made of, if Node maps sources. */
  scriptName: string;
  /** Where it begins, from 1 on. */
  lineNumber: number;
  columnNumber: number;
  /** The ms that the function itself took. */
  self: number;
  /** The ms that it took with what it called. */
  total: number;
}

/** A callback that blocked the thread for long. */
export interface SlowCallback {
  type: 'duration';
  /**
   * `'other'` is what is no task: timers, I/O callbacks and the like. Without `stacks`, all of them
   * between two tasks, or between a task and the end of the check phase, count as one.
   */
  kind: 'task' | 'continuation' | 'idle-callback' | 'other';
  /** As in {@link TaskMessage}; empty if it is no task. */
  label: string;
  priority: TaskPriority | undefined;
  id: number | undefined;
  parentId: number | undefined;
  /** When it began, in ms as `performance.now()`; or when the reports began since. */
  startedAt: number;
  /** For how many ms it blocked the thread from then on, with the ticks and microtasks behind it. */
  duration: number;
  /** With `stacks`: the functions that took most of it themselves, at most ten. */
  functions?: SlowFunction[];
  /** With `stacks`: the calls in which most of it went, the innermost one first. */
  stack?: SlowFunction[];
}

/** Work that blocked the thread while a task waited. */
export interface Blocker {
  /**
   * `'task'`: the tasks and continuations of a label and priority. `'idle'`: the thread was free, as
   * background tasks were held. `'unknown'`: the part of the wait before the reports began. The others have no
   * label and no priority, nor have the tasks, in one entry, of those labels that took least, where
   * there are more than a hundred.
   */
  kind: 'task' | 'idle-callback' | 'other' | 'garbage-collection' | 'idle' | 'unknown';
  label: string;
  priority: TaskPriority | undefined;
  /** How many ms in sum, without the garbage collections in it. */
  time: number;
  /** That as a share of the whole wait. */
  share: number;
}

/** A task that awaited a {@link SharedTask} when that started. */
export interface Awaiter {
  /** As in {@link TaskMessage}; empty if the `join()` was called outside of tasks. */
  label: string;
  /** The priority of the code that called `join()`. */
  priority: TaskPriority;
  /** For how many ms it had awaited the shared task by then. */
  awaitedFor: number;
}

/** A task or continuation that waited for long, and started after the reports began. */
export interface LongWait {
  type: 'wait';
  kind: 'task' | 'continuation';
  label: string;
  priority: TaskPriority;
  id: number;
  parentId: number | undefined;
  /** When it was queued, after its own delay, in ms as `performance.now()`. */
  queuedAt: number;
  /** When it started, in ms as `performance.now()`. */
  startedAt: number;
  /** For how many ms it waited, also before the reports began. */
  wait: number;
  /**
   * The work that blocked the thread meanwhile, the one with most time first. Never empty: the shares add up to 1. The
   * part of the wait before the reports began is one entry, `'unknown'`.
   */
  waitedFor: [Blocker, ...Blocker[]];
  /**
   * If it belongs to a {@link SharedTask}, or was posted by one: the tasks that awaited the shared
   * task when it started, at most ten, the most urgent one first. A task that is more urgent than `priority` waits
   * for something less urgent: an inversion. Tasks that joined before the reports began are unknown.
   */
  awaitedBy?: [Awaiter, ...Awaiter[]];
}

/**
 * Reports the callbacks of this thread that block it for long, and the tasks that wait for long.
 * Callbacks that are no tasks are among them. An extension to the web's API.
 *
 * @param report Is called with each report a little later, in an immediate, and at the latest when
 *   the process exits. The values of `AsyncLocalStorage` are those of the task. What it throws is an
 *   uncaught exception.
 * @throws {TypeError} if an argument is invalid (`ERR_INVALID_ARG_TYPE`, `ERR_INVALID_ARG_VALUE`,
 * `ERR_OUT_OF_RANGE`).
 * @throws {Error} if `stacks` is true and Node was built without the inspector.
 */
export declare function reportSlowTasks(
  report: (report: SlowCallback | LongWait) => void,
  options?: ReportSlowTasksOptions | null,
): TaskWatcher;

/**
 * Something that watches tasks until it is stopped: a trace, reports, or an exporter of metrics. Ends
 * with its scope if it is declared by `using`.
 */
export interface TaskWatcher extends Disposable {
  /** Stops watching. Does nothing if that was done before. Needs no receiver. */
  stop(this: void): void;
}

/** Options of {@link traceTasks}. */
export interface TraceTasksOptions {
  /** Completes the file and stops when it is aborted. Default: none. */
  signal?: AbortSignal | undefined;
}

/**
 * Writes what the tasks of this thread do to a file, as a Chrome trace: https://ui.perfetto.dev and
 * `chrome://tracing` show it. There is a lane for each priority and one for the turns of the loop;
 * arrows lead from where a task was posted to where it started, from each `join()` of a
 * {@link SharedTask} to its run, and from the end of that to the tasks that waited. Events are
 * written in chunks, at least each second while the loop turns, and when the process exits; a file
 * without an end opens, too.
 *
 * The environment variable `UV_SCHEDULER_TRACE` with the name of a file does the same for every
 * process and thread that loads the package; if the file cannot be opened, a warning says so, and
 * the program goes on. When the disk is full, a trace ends with a warning. An extension to the web's
 * API.
 *
 * @param file The path of the file, which is overwritten. `${pid}` and `${tid}` in it become the ids
 *   of the process and of the thread.
 * @returns an object whose `stop()` completes the file.
 * @throws {TypeError} If `file` is not a path, or an option is invalid (`ERR_INVALID_ARG_TYPE`,
 *   `ERR_INVALID_ARG_VALUE`).
 * @throws {Error} If the file cannot be opened, with the code of the file system (`ENOENT`,
 *   `EACCES`, …), whose error is the `cause`.
 */
export declare function traceTasks(file: string, options?: TraceTasksOptions | null): TaskWatcher;

/** The message about one task or continuation, which all channels pass. */
export interface TaskMessage {
  /** Unique in its thread. */
  readonly id: number;
  /** The id of the task that posted this one; that of a continuation's task. */
  readonly parentId: number | undefined;
  /** The priority: when it was posted, and from its start on, when it started. */
  readonly priority: TaskPriority;
  readonly isContinuation: boolean;
  /** The label, by default the name of the callback; for a continuation, that of its task. */
  readonly label: string;
  /** The option `delay`, in ms. */
  readonly delay: number;
  /** This and the times below are in ms by the clock of `performance.now()`. */
  readonly postedAt: number;
  /** `postedAt` and the delay, in ms. */
  readonly queuedAt: number;
  /** In ms. */
  readonly startedAt: number | undefined;
  /**
   * When the callback returned, in ms; of a continuation, when the code after it had paused or ended.
   */
  readonly endedAt: number | undefined;
  readonly outcome: 'completed' | 'failed' | 'aborted' | undefined;
  /** What the promise was fulfilled with. */
  readonly result: unknown;
  /** What it was rejected with. */
  readonly error: unknown;
}
