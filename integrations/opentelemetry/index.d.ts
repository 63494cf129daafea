/**
 * Metrics and spans of tasks for OpenTelemetry, over `@opentelemetry/api`, which is an optional
 * peer dependency.
 *
 * Loading this in a host that the package does not support throws the same error as loading the
 * package: its code is `ERR_UV_SCHEDULER_UNSUPPORTED`.
 */

import type { MeterProvider, TracerProvider } from '@opentelemetry/api';
import type { TaskMessage, TaskWatcher } from '../../index.js';

/** Options of {@link instrumentTasks}. */
export interface InstrumentTasksOptions {
  /**
   * Gets the metrics. `null`: none are measured. Default: the global one, which has to be
   * registered before.
   */
  meterProvider?: MeterProvider | null | undefined;
  /** Makes the spans. `null`: none are made. Default: the global one. */
  tracerProvider?: TracerProvider | null | undefined;
  /**
   * Says which tasks get spans, when they start. What a task without a span leads to belongs to the
   * span that was active when the task was posted. If it throws, that is logged, and the task gets a
   * span. Default: all do.
   */
  filter?: ((message: TaskMessage) => boolean) | undefined;
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
 * Gives OpenTelemetry metrics and spans of the tasks of this thread.
 *
 * Metrics, in seconds:
 *
 * - `uv_scheduler.task.wait`, a histogram by `uv_scheduler.priority`: from queued to started;
 * - `uv_scheduler.task.duration`, a histogram by `uv_scheduler.priority`: how long callbacks
 *   blocked the thread;
 * - `uv_scheduler.tasks`, an observable counter by `uv_scheduler.priority` and
 *   `uv_scheduler.outcome` (`completed`, `failed` or `aborted`), in tasks;
 * - `uv_scheduler.tasks.queued`, an observable up-down counter by `uv_scheduler.priority`, in tasks;
 * - `uv_scheduler.tasks.oldest`, an observable gauge by `uv_scheduler.priority`: how long the oldest
 *   queued one has waited;
 * - `uv_scheduler.time`, an observable counter by `uv_scheduler.state`: each priority, `other` and
 *   `idle`;
 * - `uv_scheduler.held`, an observable counter by `uv_scheduler.reason` (`container` or `machine`):
 *   how long background tasks were held although the loop was idle, see `idle` of `configure()`.
 *
 * And about the admissions of this thread (see `createAdmission()` of `uv-scheduler/http`), by
 * `uv_scheduler.priority`:
 *
 * - `uv_scheduler.requests`, an observable counter by `uv_scheduler.outcome`, too: `admitted`, `left`,
 *   `withdrawn`, or why refused (`wait`, `queue` or `draining`);
 * - `uv_scheduler.requests.queued`, an observable up-down counter: requests that wait for their first
 *   turn;
 * - `uv_scheduler.requests.running`, an observable up-down counter: admitted requests whose responses
 *   have neither finished nor closed;
 * - `uv_scheduler.requests.raised`, an observable counter: requests whose priority was raised by
 *   `maxWait`;
 * - `uv_scheduler.request.wait`, a histogram: how long admitted requests waited for their first turn.
 *
 * And about the `IdleWorker`s of this thread, observable counters by `uv_scheduler.queue`:
 *
 * - `uv_scheduler.jobs.given_back`, by `uv_scheduler.reason`, too: `busy`, `no-turn`, `closing` or
 *   `draining`;
 * - `uv_scheduler.jobs.discarded`: how long these jobs had run, interruptions included;
 * - `uv_scheduler.jobs.idle_wait`: how long workers have waited for an idle loop to fetch a job.
 *
 * And, only with `maxTaskLabels`, observable counters by `uv_scheduler.label` and
 * `uv_scheduler.priority` of the tasks that took most time:
 *
 * - `uv_scheduler.label.time`: how long they held the thread;
 * - `uv_scheduler.label.tasks`: how many have run.
 *
 * A pair of a label and a priority that was shown once remains, so there are never more than
 * `maxTaskLabels`. What others took is the rest of `uv_scheduler.time`. Continuations count with tasks.
 *
 * Each task that starts has a span, from the start of its callback until its promise settles. It is
 * a child of the span that was active when the task was posted. Its name is the task's label. It
 * has the attributes `uv_scheduler.priority`, `uv_scheduler.wait` (in seconds) and
 * `uv_scheduler.outcome` (`completed`, `failed` or `aborted`). The callback and what follows it,
 * also after a `yield()`, runs with this span active.
 *
 * Where tasks post tasks in turn, a new trace begins after 100 of them, with a link to the span that
 * was active at the post. So work that goes on for ever, and posts itself, is no endless trace.
 *
 * In a worker, metrics and spans have the attribute `thread.id`.
 *
 * An extension to the web's API.
 *
 * @returns an object whose `stop()` removes the metrics, and ends the spans of tasks that run.
 * @throws {TypeError} if an option is invalid (`ERR_INVALID_ARG_TYPE`, `ERR_INVALID_ARG_VALUE`,
 * `ERR_OUT_OF_RANGE`).
 * @throws {Error} if a provider gets the tasks of this thread already (`ERR_INVALID_STATE`).
 */
export function instrumentTasks(options?: InstrumentTasksOptions | null): TaskWatcher;
