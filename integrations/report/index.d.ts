/**
 * The flag `node --import uv-scheduler/report app.js` names the functions that block the threads of
 * a program. A program that imports the module itself switches the report by `startReport()`.
 *
 * An extension to the web's API.
 */

/** The options of `startReport()`. */
export interface ReportOptions {
  /** Callbacks that block the thread for longer are reported, in milliseconds. Default: 50. */
  duration?: number;
  /** The file that gets the summary as JSON. */
  file?: string;
  /**
   * `'profile'` keeps V8's profiler on, which also names native calls that are the last act of a
   * callback. By default stacks are read only while something blocks the thread.
   */
  stacks?: true | 'profile';
}

/** Reports on this thread until `stop()`, which writes the summary. A thread has one report. */
export function startReport(options?: ReportOptions): Report;

/** A report that `startReport()` has started. */
export interface Report extends Disposable {
  stop(): void;
}

/**
 * Calls `callback()` and returns its result. While a report runs, its lines and messages have this
 * name in place of a route, also for code behind an `await`. Without a report it costs nothing.
 */
export function labelWork<T>(name: string, callback: () => T): T;

/**
 * The message of the channel `uv-scheduler:blocked` of `node:diagnostics_channel`, for each
 * callback of over `duration` while a report runs.
 *
 * It is published in a tick behind the callback and in its async context, so that the span of its
 * request is still active; with a later turn of the loop if no stack was read, in workers and with
 * `stacks: 'profile'`.
 */
export interface BlockedMessage {
  readonly schema: 1;
  /** When the callback began, as `performance.now()`. */
  readonly startedAt: number;
  /** How long it blocked the thread, in milliseconds. */
  readonly duration: number;
  /** The place as the lines of the report name it, such as `renderPage (page.js:12)`. */
  readonly place: string;
  readonly functionName: string;
  readonly file: string;
  readonly line: number | undefined;
  /** The kind of work, such as `code` or `json-parse`. */
  readonly kind: string;
  /** The section of the documents about this kind. */
  readonly help: string;
  /** The label of the task; empty outside of tasks. */
  readonly label: string;
  /** The first of `routes`, or empty. */
  readonly route: string;
  /** The routes of the requests whose code it was, health checks first, or the name of the work. */
  readonly routes: readonly string[];
  /** The longest stack, in the form of `error.stack` without its first line. */
  readonly stack: string;
}
