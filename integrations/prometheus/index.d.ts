/**
 * Metrics about tasks for Prometheus, over `prom-client`, which is an optional peer
 * dependency.
 *
 * Loading this in a host that the package does not support throws the same error as loading the
 * package: its code is `ERR_UV_SCHEDULER_UNSUPPORTED`.
 */

import type { TaskWatcher } from '../../index.js';

/** A `Registry` of prom-client, known by its shape. */
export interface MetricRegistryLike {
  // As prom-client declares them, so that each of its registries is one.
  registerMetric(metric: any): void;
  removeSingleMetric(name: string): void;
  getSingleMetric(name: string): unknown;
}

/** Options of {@link collectTaskMetrics}. */
export interface CollectTaskMetricsOptions {
  /** The register that gets the metrics. Default: the global register of prom-client. */
  register?: MetricRegistryLike | undefined;
  /** What the names of the metrics begin with. Default: nothing. */
  prefix?: string | undefined;
  /** Labels that all metrics get. Default: none. */
  labels?: { readonly [name: string]: string | number } | null | undefined;
  /**
   * How many labels of tasks get metrics of their own, from 0 to 100. Default: 0. Only for programs
   * whose labels are names of code. A label that names a user or a request would tell everybody who
   * sees the metrics, and would take up a place for as long as the process lives.
   */
  maxTaskLabels?: number | undefined;
  /** Stops when it is aborted. Default: none. */
  signal?: AbortSignal | undefined;
}

/**
 * Registers metrics about the tasks of this thread:
 *
 * - `uv_scheduler_task_wait_seconds`, a histogram by `priority`: from queued to started;
 * - `uv_scheduler_task_duration_seconds`, a histogram by `priority`: how long callbacks blocked
 *   the thread;
 * - `uv_scheduler_tasks_total`, a counter by `priority` and `outcome` (`completed`, `failed` or
 *   `aborted`);
 * - `uv_scheduler_tasks_queued`, a gauge by `priority`;
 * - `uv_scheduler_tasks_oldest_seconds`, a gauge by `priority`: how long the oldest queued one has
 *   waited;
 * - `uv_scheduler_time_seconds_total`, a counter by `state`: each priority, `other` and `idle`;
 * - `uv_scheduler_held_seconds_total`, a counter by `reason` (`container` or `machine`): how long
 *   background tasks were held although the loop was idle, see `idle` of `configure()`.
 *
 * And about the admissions of this thread (see `createAdmission()` of `uv-scheduler/http`), by
 * `priority`; they have no values if there are none:
 *
 * - `uv_scheduler_requests_total`, a counter by `outcome`, too: `admitted`, `left`, `withdrawn`, or why
 *   refused (`wait`, `queue` or `draining`);
 * - `uv_scheduler_requests_queued`, a gauge: requests that wait for their first turn;
 * - `uv_scheduler_requests_running`, a gauge: admitted requests whose responses have neither finished
 *   nor closed;
 * - `uv_scheduler_requests_raised_total`, a counter: requests whose priority was raised by `maxWait`;
 * - `uv_scheduler_request_wait_seconds`, a histogram: how long admitted requests waited for their first
 *   turn.
 *
 * And about the `IdleWorker`s of this thread, by `queue`; they have no values if there are none:
 *
 * - `uv_scheduler_jobs_given_back_total`, a counter by `reason`, too (`busy`, `no-turn`, `closing` or
 *   `draining`);
 * - `uv_scheduler_jobs_discarded_seconds_total`, a counter: how long these jobs had run,
 *   interruptions included;
 * - `uv_scheduler_jobs_idle_wait_seconds_total`, a counter: how long workers have waited for an idle
 *   loop to fetch a job.
 *
 * And, only with `maxTaskLabels`, by `label` and `priority` of the tasks that took most time:
 *
 * - `uv_scheduler_label_time_seconds_total`, a counter: how long they held the thread;
 * - `uv_scheduler_label_tasks_total`, a counter: how many have run.
 *
 * A pair of a label and a priority that was shown once remains, so there are never more than
 * `maxTaskLabels`. What others took is the rest of `uv_scheduler_time_seconds_total`.
 *
 * Continuations count with tasks. In a worker all have a label `thread_id`.
 *
 * The values are those of a monitor of its own (see `monitorTasks()`), read at each scrape.
 *
 * An extension to the web's API.
 *
 * @returns an object whose `stop()` removes the metrics from the register, and stops measuring.
 * @throws {TypeError} if an option is invalid (`ERR_INVALID_ARG_TYPE`, `ERR_INVALID_ARG_VALUE`,
 * `ERR_OUT_OF_RANGE`).
 * @throws {Error} if the register has a metric of such a name (`ERR_INVALID_STATE`): a register
 * takes the metrics once for each prefix.
 */
export function collectTaskMetrics(options?: CollectTaskMetricsOptions | null): TaskWatcher;
