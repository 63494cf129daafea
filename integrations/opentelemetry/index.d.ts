/**
 * Metrics and spans of tasks for OpenTelemetry, over `@opentelemetry/api`, which is an optional
 * peer dependency.
 *
 * Loading this in a host that the package does not support throws the same error as loading the
 * package: its code is `ERR_UV_SCHEDULER_UNSUPPORTED`.
 */

import type { MeterProvider, TracerProvider } from '@opentelemetry/api';
import type { TaskMessage, TaskWatcher } from '../watch/index.js';

/** Options of {@link instrumentTasks}. */
export interface InstrumentTasksOptions {
  /**
   * The provider that gets the metrics; `null`: no metrics. Default: the global provider, which
   * must be registered before this call.
   */
  meterProvider?: MeterProvider | null | undefined;
  /** The provider that creates the spans; `null`: no spans. Default: the global provider. */
  tracerProvider?: TracerProvider | null | undefined;
  /**
   * Returns whether a task gets a span, called at the start of the task. In a task without a span,
   * the span that was active at the post stays active. If `filter` throws, the error is logged, and
   * the task gets a span. Default: all tasks get one.
   */
  filter?: ((message: TaskMessage) => boolean) | undefined;
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
 * Gives OpenTelemetry metrics and spans of the tasks of this thread.
 *
 * Metrics, in seconds:
 *
 * - `uv_scheduler.task.wait`, a histogram by `uv_scheduler.priority`: from queued to started;
 * - `uv_scheduler.task.duration`, a histogram by `uv_scheduler.priority`: how long callbacks
 *   blocked the thread;
 * - `uv_scheduler.tasks`, an observable counter by `uv_scheduler.priority` and
 *   `uv_scheduler.outcome` (`completed`, `failed` or `aborted`), in tasks;
 * - `uv_scheduler.tasks.queued`, an observable up-down counter by `uv_scheduler.priority`, in
 *   tasks;
 * - `uv_scheduler.tasks.oldest`, an observable gauge by `uv_scheduler.priority`: how long the
 *   oldest queued task has waited;
 * - `uv_scheduler.time`, an observable counter by `uv_scheduler.state`: each priority, `other` and
 *   `idle`;
 * - `uv_scheduler.blocked`, an observable counter by `uv_scheduler.place` and
 *   `uv_scheduler.route`: how long callbacks blocked the thread, while `uv-scheduler/report` is on;
 *   at most 100 pairs, the rest is `other`. The span that was blocked gets an event of this name;
 * - `uv_scheduler.held`, an observable counter by `uv_scheduler.reason` (`container` or `machine`):
 *   how long background tasks were paused although the loop was idle, see `idle` of `configure()`.
 *
 * And about the admissions of this thread (see `createAdmission()` of `uv-scheduler/http`), by
 * `uv_scheduler.priority`:
 *
 * - `uv_scheduler.requests`, an observable counter, also by `uv_scheduler.outcome`: `admitted`,
 *   `observed`, `left`, `withdrawn`, or the reason of refusal (`wait`, `queue`, `draining` or
 *   `heap`);
 * - `uv_scheduler.requests.would_refuse`, an observable counter: observed requests that would have
 *   been refused;
 * - `uv_scheduler.requests.queued`, an observable up-down counter: requests that wait for their
 *   first turn;
 * - `uv_scheduler.requests.running`, an observable up-down counter: admitted requests whose
 *   responses have neither finished nor closed;
 * - `uv_scheduler.requests.raised`, an observable counter: requests whose priority was raised by
 *   `raiseAfter`;
 * - `uv_scheduler.request.wait`, a histogram: how long admitted requests waited for their first
 *   turn.
 *
 * And, for admissions that tell routes apart, observable counters by `uv_scheduler.route`, for the
 * first 100 and `(others)`:
 *
 * - `uv_scheduler.route.requests`: requests;
 * - `uv_scheduler.route.refused`: refused requests;
 * - `uv_scheduler.route.time`: the thread time of requests.
 *
 * And about the `IdleWorker`s of this thread, observable counters by `uv_scheduler.queue`:
 *
 * - `uv_scheduler.jobs.given_back`, also by `uv_scheduler.reason`: `busy`, `no-turn`, `closing` or
 *   `draining`;
 * - `uv_scheduler.jobs.discarded`: how long these jobs had run, including interruptions;
 * - `uv_scheduler.jobs.idle_wait`: how long workers waited for an idle loop before they fetched a
 *   job.
 *
 * And, only with `maxTaskLabels`, observable counters by `uv_scheduler.label` and
 * `uv_scheduler.priority`, for the tasks with the most thread time:
 *
 * - `uv_scheduler.label.time`: how long they blocked the thread;
 * - `uv_scheduler.label.tasks`: the number of tasks that have run.
 *
 * A pair of a label and a priority stays once it was shown, so there are at most `maxTaskLabels`
 * pairs. The time of all other tasks is the rest of `uv_scheduler.time`. Continuations count as
 * tasks.
 *
 * Each task has a span, from the start of its callback until its promise settles, as a child of the
 * span that was active when the task was posted. The span has the task's label as its name, and the
 * attributes `uv_scheduler.priority`, `uv_scheduler.wait` (in seconds) and `uv_scheduler.outcome`
 * (`completed`, `failed` or `aborted`). The span is active in the callback and in the code that
 * follows, also after a `yield()`.
 *
 * In a chain of tasks that post tasks, a new trace begins after 100 tasks, with a link to the span
 * that was active at the post. So a task that keeps posting itself does not make an endless trace.
 *
 * In a worker, metrics and spans have the attribute `thread.id`.
 *
 * An extension to the web's API.
 *
 * @returns an object whose `stop()` removes the metrics and ends the spans of running tasks.
 * @throws {TypeError} if an option is invalid (`ERR_INVALID_ARG_TYPE`, `ERR_INVALID_ARG_VALUE`,
 * `ERR_OUT_OF_RANGE`).
 * @throws {Error} if a provider already gets the tasks of this thread (`ERR_INVALID_STATE`).
 */
export function instrumentTasks(options?: InstrumentTasksOptions | null): TaskWatcher;
