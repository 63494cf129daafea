/**
 * `uv-scheduler/react` renders the sections of a page one by one, in the scheduler's order. It
 * needs React 19 (`npm install react`), and TypeScript needs `@types/react`.
 */

import type { ReactElement, ReactNode } from 'react';
import type { TaskPriority } from '../../index.js';

export interface ScheduledProps {
  /**
   * The priority of the task that lets React render the children. Default: the priority of `signal`
   * if it is a `TaskSignal`, followed until the children are rendered; otherwise the priority of
   * the task in which the render was started, and outside of tasks `'user-visible'`.
   */
  priority?: TaskPriority | undefined;
  /**
   * If this signal is aborted before the children are rendered, React calls `onError` of the render
   * with the signal's reason; the page then has the fallback, and a browser renders the children.
   * In server components React's `cacheSignal()` counts as well, which is aborted when the render
   * is not needed any more. `null`: no signal. Default: the signal of the task in which the render
   * was started.
   */
  signal?: AbortSignal | null | undefined;
  /** Shown until the children are rendered. Default: nothing. */
  fallback?: ReactNode;
  /** The section. Default: nothing. */
  children?: ReactNode;
}

/**
 * A `<Suspense>` whose children, when a page is rendered on the server, are rendered separately, in
 * a turn of the event loop that a scheduler task begins: user-blocking tasks, timers and I/O run
 * between two such sections. Children that wait for data get another turn when the data arrives. If
 * a render ends early, its children get no more turns, and the render is not kept in memory.
 * `drain()` lets a started page complete, even if the page is background work.
 *
 * It works with `renderToPipeableStream()`, `renderToReadableStream()` and the functions of
 * `react-dom/static` of React's build for Node, and in server components. `renderToString()` does
 * not wait and renders the fallbacks. In browsers, on edge runtimes, with a client's renderer, and
 * in pages that Next.js prerenders with `cacheComponents`, it is a plain `<Suspense>`, and the
 * addon is not loaded.
 *
 * Invalid props throw a `TypeError`: `ERR_INVALID_ARG_VALUE` for `priority` and for an unknown prop
 * (other than `data-*`), `ERR_INVALID_ARG_TYPE` for `signal`.
 *
 * An extension: browsers have nothing like it.
 *
 * @example
 * <Scheduled fallback={<Spinner />}>
 *   <Comments />
 * </Scheduled>
 */
export function Scheduled(props: ScheduledProps): ReactElement;
