/**
 * Jobs of a queue, run in the time that a server leaves idle. Needs BullMQ 5 (from 5.77 on) or 6
 * beside it, and the Redis that BullMQ needs.
 *
 * Loading this in a host that the package does not support throws the same error as loading the
 * package: its code is `ERR_UV_SCHEDULER_UNSUPPORTED`.
 */

import type { Job, WorkerListener, WorkerOptions } from 'bullmq';
import { Worker } from 'bullmq';

/** Options of {@link IdleWorker}: those of BullMQ's `Worker`, and its own. */
export interface IdleWorkerOptions extends WorkerOptions {
  /**
   * Milliseconds after which a job that has got no turn is given back to the queue. Default: 10000.
   * `Infinity`: it never is.
   */
  patience?: number | undefined;
  /**
   * How often a job may be given back. One that was started and given back that many times stays
   * with the worker that has it, and waits for its turns there. Starts that BullMQ does not count as
   * attempts for another reason, such as those of steps that wait for children, count, too. Default:
   * 10, as a job that was given back so often is longer than its servers' idle time lasts, and would
   * never be done. `Infinity`: there is no bound.
   */
  maxGiveBacks?: number | undefined;
}

/**
 * Processes a job in background tasks. What it returns, or throws, is the job's result as with
 * BullMQ's own workers.
 *
 * `signal` is aborted when the job is to be given back, when the job's lock is lost, and by
 * `cancelJob()`. A job that is cancelled before its first turn is not processed: it fails with the
 * reason. `scheduler.yield()` and `scheduler.wait()` then reject, so that most processors
 * need not look at it. What a processor returns or throws after it was told to give the job back
 * does not count: the job starts over, here or elsewhere.
 */
export type IdleProcessor<DataType = any, ResultType = any, NameType extends string = string> = (
  job: Job<DataType, ResultType, NameType>,
  token: string,
  signal: AbortSignal,
) => ResultType | PromiseLike<ResultType>;

/** The events of {@link IdleWorker}: those of BullMQ's `Worker`, and its own. */
export interface IdleWorkerListener<
  DataType = any,
  ResultType = any,
  NameType extends string = string,
> extends WorkerListener<DataType, ResultType, NameType> {
  /** A job was given back to the queue, at whose head it now waits. `reason` is for people. */
  givenBack: (job: Job<DataType, ResultType, NameType>, reason: string) => void;
}

/** Options of {@link IdleWorker.close}. */
export interface IdleWorkerCloseOptions {
  /** Milliseconds after which the jobs that still run are given back. Default: `Infinity`. */
  giveBackAfter?: number | undefined;
  /**
   * Milliseconds after which `close()` waits no longer, neither for processors that do not settle nor
   * for a Redis that is away. Jobs that still run then keep their locks until these expire, and BullMQ
   * gives them to other workers. Default: `Infinity`.
   */
  forceAfter?: number | undefined;
}

/** What an {@link IdleWorker} has counted since it was made. */
export interface IdleWorkerCounts {
  /** How many jobs were given back, by reason. */
  readonly givenBack: {
    /** The event loop was busy when the job arrived. */
    readonly busy: number;
    /** It got no turn for as long as the `patience`. */
    readonly 'no-turn': number;
    /** The worker was closed. */
    readonly closing: number;
    /** The scheduler drained (see `drain()`). */
    readonly draining: number;
  };
  /** How many ms these jobs had run, interruptions included: work that has to be done again. */
  readonly discardedTime: number;
  /** How many ms the worker has waited for an idle loop to fetch a job. */
  readonly waitTime: number;
}

/**
 * A `Worker` of BullMQ for a process that has other things to do, such as a server. It fetches a job
 * only while nothing else is runnable on this thread's event loop, and asks again before every job.
 * Work that is held (see `idle` of `configure()`) counts as a busy loop.
 * The processor runs in background tasks: each `await scheduler.yield()` in it lets everything else
 * come first. A job that arrives when the loop has become busy, and one that gets no turn for
 * `patience` milliseconds, is given back: it waits at the head of the queue, the attempt does not
 * count, and this worker fetches nothing for a while. With a `concurrency` above 1, jobs that compute
 * at the same time take turns.
 *
 * A job that was given back starts over. Long ones should keep what they have reached with
 * `job.updateProgress()` or `job.updateData()`. Every start counts in `job.attemptsStarted`, and
 * against a `limiter` and `maxStartedAttempts`.
 *
 * After an await of I/O code runs in the callback of that I/O, ahead of background tasks. A
 * processor that works for long after it should begin with `await scheduler.yield()`. A job that
 * computes for 50 ms at its start without giving way is reported by a process warning, with the code
 * `UV_SCHEDULER_LONG_JOB`. So is one that holds the loop for 500 ms without computing, if it does so
 * twice: once, the machine may have stood still. (Node 20 does not tell what one thread computes.
 * There all of it has to come twice.)
 *
 * Everything else is as BullMQ has it: each job runs at least once, a job whose process was killed
 * is taken up by another worker when its lock has expired, and one that has stalled more than
 * `maxStalledCount` times fails. A worker has two connections to Redis.
 *
 * An extension to the web's API.
 */
export class IdleWorker<
  DataType = any,
  ResultType = any,
  NameType extends string = string,
> extends Worker<DataType, ResultType, NameType> {
  /**
   * @throws {TypeError} if the processor is no function, as a file or URL is not, if the options or
   * their `connection` are no objects (`ERR_INVALID_ARG_TYPE`), or if `patience` or `maxGiveBacks`
   * is not a number that they may be (`ERR_OUT_OF_RANGE`).
   */
  constructor(
    name: string,
    processor: IdleProcessor<DataType, ResultType, NameType>,
    options: IdleWorkerOptions,
  );

  /**
   * Stops fetching and resolves when the jobs that run are done and the connections are closed. Jobs
   * that have had no turn yet are given back, and so are those that get none for `patience`
   * milliseconds. After `giveBackAfter`, all are given back; each keeps its lock until
   * its processor has settled. After `forceAfter`, this resolves in any case. With
   * `true` nothing is waited for, also not by an earlier call: the signals of the jobs are aborted, and
   * BullMQ gives the jobs to other workers when their locks have expired.
   *
   * @returns a promise, which is rejected with a `TypeError` if an option is invalid
   * (`ERR_INVALID_ARG_TYPE`, `ERR_INVALID_ARG_VALUE`, `ERR_OUT_OF_RANGE`).
   */
  close(options?: boolean | IdleWorkerCloseOptions | null): Promise<void>;

  /** What was counted so far: a copy. The exporters of metrics show it for each queue. */
  get idleCounts(): IdleWorkerCounts;

  on<Event extends keyof IdleWorkerListener<DataType, ResultType, NameType>>(
    event: Event,
    listener: IdleWorkerListener<DataType, ResultType, NameType>[Event],
  ): this;
  once<Event extends keyof IdleWorkerListener<DataType, ResultType, NameType>>(
    event: Event,
    listener: IdleWorkerListener<DataType, ResultType, NameType>[Event],
  ): this;
  off<Event extends keyof IdleWorkerListener<DataType, ResultType, NameType>>(
    event: Event,
    listener: IdleWorkerListener<DataType, ResultType, NameType>[Event],
  ): this;
}
