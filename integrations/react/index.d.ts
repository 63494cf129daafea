/**
 * `uv-scheduler/react` renders the sections of a page one by one, in the scheduler's order. It needs
 * React 19 (`npm install react`), and TypeScript needs `@types/react`.
 */

import type { ReactElement, ReactNode } from 'react';
import type { TaskPriority } from '../../index.js';

export interface ScheduledProps {
  /**
   * The priority of the task that has the children rendered. By default that of `signal` if it is a
   * `TaskSignal`, whose changes count until then, else that of the task in which the render was
   * started, and outside of tasks `'user-visible'`.
   */
  priority?: TaskPriority | undefined;
  /**
   * If it is aborted before the children are rendered, its reason is an error of React, which calls
   * `onError` of the render; the page then has the fallback, and a browser renders the children.
   * The default is the signal of the task in which the render was started. In server components
   * `cacheSignal()` of React counts as well, which is aborted when nobody needs the render. `null`
   * is no signal.
   */
  signal?: AbortSignal | null | undefined;
  /** What is shown until the children are there. */
  fallback?: ReactNode;
  children?: ReactNode;
}

/**
 * A `<Suspense>`. When a page is rendered on the server, its children are rendered by themselves, in
 * a turn of the event loop that a scheduler task begins: user-blocking tasks, timers and I/O
 * have their turn between two of them. Children that wait for data have another turn when it is
 * there. When a render ends early, its children get no more turns, and nothing of it is kept.
 * `drain()` lets a page that has begun be completed, even if it is background work.
 *
 * It works with `renderToPipeableStream()`, `renderToReadableStream()` and the functions of
 * `react-dom/static` of React's build for Node, and in server components. `renderToString()` waits
 * for nothing, and renders the fallbacks. In browsers, on edge runtimes, and wherever a client's
 * renderer runs, it is just a `<Suspense>`; the addon is not loaded there. So it is in what Next.js
 * prerenders with `cacheComponents`.
 *
 * Wrong props throw a `TypeError` with Node's codes: `ERR_INVALID_ARG_VALUE` for `priority`,
 * `ERR_INVALID_ARG_TYPE` for `signal`.
 *
 * An extension: browsers have nothing like it.
 *
 * @example
 * <Scheduled fallback={<Spinner />}>
 *   <Comments />
 * </Scheduled>
 */
export function Scheduled(props: ScheduledProps): ReactElement;
