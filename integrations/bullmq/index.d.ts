/**
 * Runs jobs of a queue in the idle time of a server. Needs BullMQ 5 (from 5.77 on) or 6, the Redis
 * that BullMQ needs, and for BullMQ 6 also `ioredis`.
 *
 * Loading this in a host that the package does not support throws the same error as loading the
 * package: its code is `ERR_UV_SCHEDULER_UNSUPPORTED`.
 */

import type { Job, WorkerListener, WorkerOptions } from 'bullmq';
import { Worker } from 'bullmq';

/** Options of {@link IdleWorker}: the options of BullMQ's `Worker`, and its own. */
export interface IdleWorkerOptions extends WorkerOptions {
  /**
   * The time in milliseconds after which a job without a turn is given back to the queue;
   * `Infinity`: never. Default: 10000.
   */
  patience?: number | undefined;
  /**
   * How often a job may be given back. After that, the job stays with its worker and waits there
   * for its turns. Other starts that BullMQ does not count as attempts, such as steps that wait for
   * children, count as well. `Infinity`: no bound, so a job that is longer than the idle time of
   * all its servers never completes. Default: 10.
   */
  maxGiveBacks?: number | undefined;
}

/**
 * Processes a job in background tasks. Its result or error is the job's, as with BullMQ's own
 * workers.
 *
 * `signal` is aborted when the job is to be given back, when the job's lock is lost, and by
 * `cancelJob()`. A job that is cancelled before its first turn is not processed: it fails with the
 * reason. After the abort, `scheduler.yield()` and `scheduler.wait()` reject, so most processors
 * need not check the signal. If the job is given back, the processor's result or error is ignored,
 * and the job starts over, here or elsewhere.
 */
export type IdleProcessor<DataType = any, ResultType = any, NameType extends string = string> = (
  job: Job<DataType, ResultType, NameType>,
  token: string,
  signal: AbortSignal,
) => ResultType | PromiseLike<ResultType>;

/** The events of {@link IdleWorker}: the events of BullMQ's `Worker`, and its own. */
export interface IdleWorkerListener<
  DataType = any,
  ResultType = any,
  NameType extends string = string,
> extends WorkerListener<DataType, ResultType, NameType> {
  /** A job was given back to the head of the queue. `reason` is a text for people. */
  givenBack: (job: Job<DataType, ResultType, NameType>, reason: string) => void;
}

/** Options of {@link IdleWorker.close}. */
export interface IdleWorkerCloseOptions {
  /** The time in ms after which jobs that still run are given back. Default: `Infinity`. */
  giveBackAfter?: number | undefined;
  /**
   * The time in milliseconds after which `close()` resolves even if processors have not settled or
   * Redis is unreachable. Jobs that still run keep their locks until the locks expire; then BullMQ
   * gives the jobs to other workers. Default: `Infinity`.
   */
  forceAfter?: number | undefined;
}

/** The counts of an {@link IdleWorker} since its creation. */
export interface IdleWorkerCounts {
  /** Number of jobs that were given back, by reason. */
  readonly givenBack: {
    /** The event loop was busy when the job arrived. */
    readonly busy: number;
    /** The job got no turn for `patience` milliseconds. */
    readonly 'no-turn': number;
    /** The worker was closed. */
    readonly closing: number;
    /** The scheduler drained (see `drain()`). */
    readonly draining: number;
  };
  /** Run time in ms of these jobs, including interruptions: work that must be repeated. */
  readonly discardedTime: number;
  /** The time in ms for which the worker waited for an idle loop before it fetched a job. */
  readonly waitTime: number;
}

/**
 * A `Worker` of BullMQ for a process with other work, such as a server. It fetches each job only
 * while nothing else is runnable on this thread's event loop. If background work is paused (see
 * `idle` of `configure()`), the loop counts as busy. The processor runs in background tasks: each
 * `await scheduler.yield()` in it lets all other work run first. A job is given back if the loop is
 * busy when the job arrives, or if it gets no turn for `patience` milliseconds: the job waits at
 * the head of the queue, the attempt does not count, and this worker fetches nothing for a while.
 * With a `concurrency` above 1, jobs that compute at the same time take turns.
 *
 * A job that was given back starts over. Long jobs should save their progress with
 * `job.updateProgress()` or `job.updateData()`. Every start counts in `job.attemptsStarted`, for a
 * `limiter` and for `maxStartedAttempts`.
 *
 * After an `await` of I/O, code runs in the callback of that I/O, ahead of background tasks. If a
 * processor computes for long after such an `await`, it should first `await scheduler.yield()`. If
 * a job computes for 50 ms at its start without a yield, the process emits a warning with the code
 * `UV_SCHEDULER_LONG_JOB`. If a job blocks the loop for 500 ms without using the CPU, the warning
 * comes at the second time, as the first may be a pause of the machine. (Node 20 does not report
 * the CPU time of a thread, so there each warning needs two occurrences.)
 *
 * The rest is BullMQ's behaviour: each job runs at least once, a job of a killed process goes to
 * another worker when its lock has expired, and a job that has stalled more than `maxStalledCount`
 * times fails. A worker has two connections to Redis.
 *
 * With the environment variable `UV_SCHEDULER_DISABLE=all` it is a plain Worker of BullMQ: it does
 * not wait for idle time, its processor runs outside of tasks, and no job is given back.
 *
 * An extension to the web's API.
 */
export class IdleWorker<
  DataType = any,
  ResultType = any,
  NameType extends string = string,
> extends Worker<DataType, ResultType, NameType> {
  /**
   * @throws {TypeError} if the processor is not a function (a file or URL is not accepted), if the
   * options or their `connection` are not objects (`ERR_INVALID_ARG_TYPE`), if `patience` or
   * `maxGiveBacks` is out of range (`ERR_OUT_OF_RANGE`), or if an option is almost named like one
   * of these three (`ERR_INVALID_ARG_VALUE`). Other unknown options go to BullMQ, which ignores
   * them.
   */
  constructor(
    name: string,
    processor: IdleProcessor<DataType, ResultType, NameType>,
    options: IdleWorkerOptions,
  );

  /**
   * Stops fetching, and resolves when the running jobs have completed and the connections are
   * closed. Jobs that have had no turn yet, and jobs that get no turn for `patience` milliseconds,
   * are given back. After `giveBackAfter`, all jobs are given back; each keeps its lock until its
   * processor has settled. After `forceAfter`, the promise resolves in any case. With `true`, this
   * and all earlier calls resolve without waiting: the signals of the jobs are aborted, and BullMQ
   * gives the jobs to other workers when their locks have expired.
   *
   * @returns a promise, which is rejected with a `TypeError` if an option is invalid
   * (`ERR_INVALID_ARG_TYPE`, `ERR_INVALID_ARG_VALUE`, `ERR_OUT_OF_RANGE`).
   */
  close(options?: boolean | IdleWorkerCloseOptions | null): Promise<void>;

  /** A copy of the current counts. The exporters of metrics show these counts for each queue. */
  get idleCounts(): IdleWorkerCounts;

  /** Adds a listener, as BullMQ's `Worker` does, also for `givenBack`. */
  on<Event extends keyof IdleWorkerListener<DataType, ResultType, NameType>>(
    event: Event,
    listener: IdleWorkerListener<DataType, ResultType, NameType>[Event],
  ): this;
  /** Adds a listener for the next event, as BullMQ's `Worker` does. */
  once<Event extends keyof IdleWorkerListener<DataType, ResultType, NameType>>(
    event: Event,
    listener: IdleWorkerListener<DataType, ResultType, NameType>[Event],
  ): this;
  /** Removes a listener, as BullMQ's `Worker` does. */
  off<Event extends keyof IdleWorkerListener<DataType, ResultType, NameType>>(
    event: Event,
    listener: IdleWorkerListener<DataType, ResultType, NameType>[Event],
  ): this;
}
