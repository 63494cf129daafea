/**
 * Metrics about tasks for Prometheus, over `prom-client`, which is an optional peer
 * dependency.
 *
 * Loading this in a host that the package does not support throws the same error as loading the
 * package: its code is `ERR_UV_SCHEDULER_UNSUPPORTED`.
 */

import type { TaskWatcher } from '../watch/index.js';

/** A `Registry` of prom-client, recognized by its shape. */
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
  /** A prefix for the names of the metrics. Default: none. */
  prefix?: string | undefined;
  /** Labels that all metrics get. Default: none. */
  labels?: { readonly [name: string]: string | number } | null | undefined;
  /**
   * The number of task labels that get metrics of their own, from 0 to 100. Only for programs whose
   * labels are names of code: a label with the name of a user or a request would be published with
   * the metrics, and would use up one of these places until the process exits. Default: 0.
   */
  maxTaskLabels?: number | undefined;
  /** Stops when this signal is aborted. Default: none. */
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
 * - `uv_scheduler_tasks_oldest_seconds`, a gauge by `priority`: how long the oldest queued task has
 *   waited;
 * - `uv_scheduler_time_seconds_total`, a counter by `state`: each priority, `other` and `idle`;
 * - `uv_scheduler_blocked_seconds_total`, a counter by `place` and `route`: how long callbacks
 *   blocked the thread, while `uv-scheduler/report` is on; at most 100 pairs, the rest is `other`;
 * - `uv_scheduler_held_seconds_total`, a counter by `reason` (`container` or `machine`): how long
 *   background tasks were paused although the loop was idle, see `idle` of `configure()`.
 *
 * And about the admissions of this thread (see `createAdmission()` of `uv-scheduler/http`), by
 * `priority`, without values if there are no admissions:
 *
 * - `uv_scheduler_requests_total`, a counter, also by `outcome`: `admitted`, `observed`, `left`,
 *   `withdrawn`, or the reason of refusal (`wait`, `queue`, `draining` or `heap`);
 * - `uv_scheduler_requests_would_refuse_total`, a counter: observed requests that would have been
 *   refused;
 * - `uv_scheduler_requests_queued`, a gauge: requests that wait for their first turn;
 * - `uv_scheduler_requests_running`, a gauge: admitted requests whose responses have neither
 *   finished nor closed;
 * - `uv_scheduler_requests_raised_total`, a counter: requests whose priority was raised by
 *   `raiseAfter`;
 * - `uv_scheduler_request_wait_seconds`, a histogram: how long admitted requests waited for their
 *   first turn.
 *
 * And by `route`, for admissions that tell routes apart, the first 100 and `(others)`:
 *
 * - `uv_scheduler_route_requests_total`, a counter: requests;
 * - `uv_scheduler_route_refused_total`, a counter: refused requests;
 * - `uv_scheduler_route_time_seconds_total`, a counter: the thread time of requests.
 *
 * And about the `IdleWorker`s of this thread, by `queue`, without values if there are no such
 * workers:
 *
 * - `uv_scheduler_jobs_given_back_total`, a counter, also by `reason` (`busy`, `no-turn`, `closing`
 *   or `draining`);
 * - `uv_scheduler_jobs_discarded_seconds_total`, a counter: how long these jobs had run, including
 *   interruptions;
 * - `uv_scheduler_jobs_idle_wait_seconds_total`, a counter: how long workers waited for an idle
 *   loop before they fetched a job.
 *
 * And, only with `maxTaskLabels`, by `label` and `priority`, for the tasks with the most thread
 * time:
 *
 * - `uv_scheduler_label_time_seconds_total`, a counter: how long they blocked the thread;
 * - `uv_scheduler_label_tasks_total`, a counter: the number of tasks that have run.
 *
 * A pair of a label and a priority stays once it was shown, so there are at most `maxTaskLabels`
 * pairs. The time of all other tasks is the rest of `uv_scheduler_time_seconds_total`.
 *
 * Continuations count as tasks. In a worker all metrics have a label `thread_id`.
 *
 * The values come from a separate monitor (see `monitorTasks()`), read at each scrape.
 *
 * An extension to the web's API.
 *
 * @returns an object whose `stop()` removes the metrics from the register, and stops measuring.
 * @throws {TypeError} if an option is invalid (`ERR_INVALID_ARG_TYPE`, `ERR_INVALID_ARG_VALUE`,
 * `ERR_OUT_OF_RANGE`).
 * @throws {Error} if the register already has a metric of the same name (`ERR_INVALID_STATE`): a
 * register accepts the metrics once for each prefix.
 */
export function collectTaskMetrics(options?: CollectTaskMetricsOptions | null): TaskWatcher;
