/**
 * A scheduler for tests: the core that ships, on a clock that the test moves. An hour of delays
 * takes milliseconds, and a seed finds and repeats an order that depends on chance. An extension to
 * the web's API.
 *
 * All times are in milliseconds (ms). An unknown option throws a `TypeError` with the code
 * `ERR_INVALID_ARG_VALUE`.
 */

import type * as api from 'uv-scheduler';

declare global {
  /** Declared by TypeScript's library `esnext.disposable` and by `@types/node`, where present. */
  interface Disposable {}
}

/** Options of {@link createTestScheduler}. */
export interface TestSchedulerOptions {
  /**
   * Varies everything that the contract leaves open: how long a task takes, whether I/O is ready or
   * another callback is runnable between two tasks, and the order of timers and tasks that are due
   * together. The same seed gives the same order. A whole number from 0 to 2^32-1; others throw
   * `ERR_OUT_OF_RANGE`. Default: no variation, and tasks take the time of
   * {@link TestScheduler.spend} alone.
   */
  seed?: number | undefined;
  /**
   * Moves the fake timers of the test by this many ms, such as `vi.advanceTimersByTime`,
   * `jest.advanceTimersByTime` or `clock.tick`. Called whenever the clock of the test moves: to the
   * next deadline of a task or a fake timer, so that a task which a timer posts starts before the
   * timers behind it. The deadlines of other fake timers, such as those of `node:test`, are not
   * known: the clock moves by 1 ms at a time, or by a thousandth of the time in which no task has
   * started. A promise that it returns is awaited. Default: the timers of the test do not move.
   */
  advanceTimers?: ((ms: number) => unknown) | undefined;
  /**
   * The number of tasks and continuations after which a call of {@link TestScheduler.advance},
   * {@link TestScheduler.flush} or {@link TestScheduler.runAll} is rejected, as a chain may be
   * endless. Default: 100,000.
   */
  maxTasks?: number | undefined;
}

/** An entry of {@link TestScheduler.trace}. */
export interface TestEvent {
  /** The time of the event in ms, by {@link TestScheduler.now}. */
  readonly time: number;
  /** What has happened. A task ends with the last three, when its promise settles. */
  readonly event: 'posted' | 'started' | 'completed' | 'failed' | 'aborted';
  /** The label of the task, or the name of its callback; `''` if there is neither. */
  readonly label: string;
  /** The priority of the task or continuation at its start, or before that, at its post. */
  readonly priority: api.TaskPriority;
  /** Whether it is a continuation by `yield()` or `wait()`, with the label of its task. */
  readonly isContinuation: boolean;
}

type Package = typeof api;

/**
 * The installed scheduler of a test. The exports of the package are members; `scheduler` is the
 * package's own `scheduler`.
 */
export interface TestScheduler extends Package, Disposable {
  /** The time in ms since the start of the test. */
  readonly now: number;
  /** The option `seed`. */
  readonly seed: number | undefined;
  /** What has happened to tasks and continuations so far, as a copy. */
  readonly trace: readonly TestEvent[];
  /**
   * Starts what is queued, moves the clock by `ms`, and starts what is due meanwhile. With a seed,
   * tasks take time, and the clock may move further. Rejects with a `TypeError` if `ms` is not a
   * number from 0 to 2^53-1.
   */
  advance(ms: number): Promise<void>;
  /**
   * The running code takes this many ms: moves the clock at once, and starts nothing. Time slices,
   * fairness keys, `shouldYield()`, durations, waits and all other times of the package include it
   * from their next reading on. In a task, in a callback of a fake timer, or in the test itself.
   * Throws a `TypeError` if `ms` is not a number from 0 to 2^53-1, and an `Error` after
   * {@link TestScheduler.stop}.
   */
  spend(ms: number): void;
  /**
   * Starts what is queued with at least this priority, and what follows from it. The clock moves by
   * what the code spends only. Default: everything, idle callbacks included.
   */
  flush(priority?: api.TaskPriority): Promise<void>;
  /**
   * Starts everything that is queued or delayed, and moves the clock as needed, until nothing is
   * left that would keep a process alive.
   */
  runAll(): Promise<void>;
  /**
   * Ends the test, and restores the scheduler of the package and the settings of `configure()`.
   * Throws an error with the code `ERR_UV_SCHEDULER_TEST` that names each task which is still
   * queued or delayed, or has not settled, and each rejection that nothing has handled; and the
   * seed. Those tasks are rejected with an `AbortError`. Tasks with `ref: false` count as at the
   * end of a process: they are not named and never settle. `using` calls it.
   */
  stop: (this: void) => void;
}

/**
 * Installs a scheduler for a test, in place of the scheduler of the package: for all code that
 * imports `uv-scheduler`. Tasks start only in {@link TestScheduler.advance},
 * {@link TestScheduler.flush} and {@link TestScheduler.runAll}.
 *
 * Throws a `TypeError` for a wrong option, and an `Error` while another test scheduler is
 * installed, or tasks or idle callbacks wait on the real one, also those with `ref: false`, or its
 * `drain()` is under way.
 */
export declare function createTestScheduler(options?: TestSchedulerOptions): TestScheduler;

/**
 * The seeds `first` to `first + count - 1`. If the loop over them ends early, a warning with the
 * code `UV_SCHEDULER_SEED` names the last one. Throws a `TypeError` with the code
 * `ERR_OUT_OF_RANGE` for numbers below 1 (`count`) or 0 (`first`), and above 2^32-1. Default of
 * `first`: 0.
 */
export declare function seeds(count: number, first?: number): Iterable<number>;

/**
 * The rules of the event loop that hold in this process; the reference explains each. All hold
 * with the addon. On Bun, on Deno and with WebAssembly, those that depend on ready I/O, on due
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
