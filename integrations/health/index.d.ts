/**
 * Answers the probes of an orchestrator from a thread of its own, also while the main thread
 * computes.
 *
 * Loading this in a host that the package does not support throws the same error as loading the
 * package: its code is `ERR_UV_SCHEDULER_UNSUPPORTED`. An unknown option throws
 * `ERR_INVALID_ARG_VALUE`.
 */

import type { Admission } from '../http/index.js';

/** Options of {@link serveHealth}. */
export interface HealthOptions {
  /**
   * The port, a whole number from 0 to 65535, also as a string; 0: any free one. Each worker of a
   * cluster needs its own. Default: 0.
   */
  port?: number | string | undefined;
  /** The address to listen on, as for `listen()` of `node:net`. Default: all addresses. */
  host?: string | undefined;
  /**
   * The time in ms that a turn of the loop may take until `/live` says `stuck`, above 0;
   * `Infinity`: any time. It is noticed up to a quarter of this time later. Default: 5000.
   */
  stuckAfter?: number | undefined;
  /**
   * Returns whether this server takes requests, such as whether its database answers. Called on
   * the thread of the caller when a client asks for `/ready`. False, an error, or no answer within
   * 400 ms mean no. Default: yes.
   */
  ready?: (() => boolean | PromiseLike<boolean>) | undefined;
  /**
   * With an admission, `/ready` says no while it has refused a tenth of its requests or more for 10
   * to 30 seconds, background requests aside, and yes again after 5 to 15 seconds without. The
   * times are random, so that servers neither leave together nor come and go. Default: an overload
   * does not count, as the servers that stay would get even more requests.
   */
  admission?: Pick<Admission, 'counts'> | undefined;
}

/** The result of {@link serveHealth}. */
export interface Health {
  /** The address, such as `http://127.0.0.1:9000`. */
  readonly url: string;
  /** Ends the thread. Fulfilled when the port is free. */
  stop(): Promise<void>;
}

/**
 * Starts a thread that answers over HTTP while this thread computes:
 *
 * - `/live`: 200, `ok` or, if this thread does not answer within 100 ms, `busy`; 503, `stuck`, when
 *   one turn of its loop has taken longer than `stuckAfter`. Then, with `stuckAfter` of
 *   `reportSlowTasks()` or the flag `uv-scheduler/report`, the text has the stack as well. A
 *   process that was stopped, or a machine that slept, is not stuck.
 * - `/ready`: 200, `ok`, or 503 and the reason: before the first server of this thread listens,
 *   from the beginning of `shutDown()` of `uv-scheduler/http` on, while this thread is stuck, and
 *   as `ready` and `admission` say. While this thread is busy, their last answers count. A server
 *   that listens behind `shutDown()` makes it ready again.
 * - `/metrics`: the register of `collectTaskMetrics()` of `uv-scheduler/prometheus`, and its age in
 *   seconds as `uv_scheduler_snapshot_age_seconds`: if this thread is busy, the last one.
 * - `/guard`: what the guard of the program shows, and `/blocked`: the last and the worst callbacks
 *   that `uv-scheduler/report` has found, as a page or as JSON, in the same way. The header `Age`
 *   has the age.
 *
 * Load this module before a server listens in a worker of a cluster, as it cannot be seen later.
 * The call blocks until the port is open. The thread does not keep the process alive, and ends with
 * it. It takes about 15 MB. With `--permission`, Node needs `--allow-worker`, and from Node 25 on
 * `--allow-net`.
 *
 * An extension to the web's API.
 *
 * @throws {TypeError} if an option is invalid or unknown (`ERR_INVALID_ARG_TYPE`,
 * `ERR_INVALID_ARG_VALUE`, `ERR_OUT_OF_RANGE`).
 * @throws {Error} if the port cannot be opened, with Node's code, such as `EADDRINUSE`, or if Node
 * runs without `--allow-worker`.
 */
export function serveHealth(options?: HealthOptions | null): Health;
