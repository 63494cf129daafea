/**
 * Metrics, reports and traces of the tasks of a thread. Extensions to the web's API.
 *
 * All times are in milliseconds (ms); points in time are on the clock of `performance.now()`. An
 * unknown option throws a `TypeError` with the code `ERR_INVALID_ARG_VALUE`. In browsers, each
 * function throws an error with the code `ERR_UV_SCHEDULER_UNSUPPORTED`.
 */

import type { TaskPriority } from '../../index.js';

declare global {
  /** Declared by TypeScript's library `esnext.disposable` and by `@types/node`, where present. */
  interface Disposable {}
}

/** A bucket of a {@link TimeDistribution}. */
interface TimeBucket {
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
interface TimeDistributionJSON {
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
  /** Number of tasks and continuations that a signal or `drain()` rejected. */
  readonly aborted: number;
  /** The same as plain values, as of now. */
  toJSON(): TaskPriorityStatisticsJSON;
}

/** {@link TaskPriorityStatistics} as plain values, for JSON and for other threads. */
interface TaskPriorityStatisticsJSON {
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
  /** Number of tasks and continuations that a signal or `drain()` rejected. */
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
interface TaskHeldTime {
  /** The CPU quota of the container. */
  readonly container: number;
  /** Other threads that want the processor. */
  readonly machine: number;
}

/** The result of {@link TaskMonitor.utilization}: shares from 0 to 1, by use of the thread. */
type TaskUtilization = { readonly [use in keyof ThreadTime]: number };

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
   * enabled (see `IdleScope`). Not a part of `time`: the loop waits for events meanwhile, or
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
interface TaskMonitorJSON {
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

/** A task that awaited a `SharedTask` when the shared task started. */
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
   * If the task belongs to a `SharedTask` or was posted by one: the tasks that awaited the
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
 * Arrows lead from the post of a task to its start, from each `join()` of a `SharedTask` to
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

export {};
