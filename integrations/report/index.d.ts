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
