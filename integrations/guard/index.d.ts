import type { TaskPriority } from '../../index.js';

/** The priority of the requests that match a pattern. */
export interface GuardPriority {
  /** The pattern. */
  match: string;
  /** The priority. */
  priority: TaskPriority;
}

/** Where `uv-scheduler/health` answers probes. */
export interface GuardHealth {
  /** The port; 0 for any. */
  port: number;
  /** The host. Default: that of `uv-scheduler/health`. */
  host?: string | undefined;
  /** The time in ms for which the thread may be blocked until it is stuck. Default: 5000. */
  stuckAfter?: number | undefined;
}

/**
 * The options of a guard. A configuration file has the same; `uv-scheduler/guard/schema.json` is
 * its JSON schema.
 */
export interface GuardOptions<Request = any> {
  /**
   * `'observe'`: requests are measured, and served as without a guard. `'enforce'`: those that
   * would wait too long are refused. `'off'`. Default: `'observe'`.
   */
  mode?: 'observe' | 'enforce' | 'off' | undefined;
  /**
   * The priorities of requests, by a path as `URLPattern` has it, with a method if wanted:
   * `'/docs/*'`, `'POST /orders/:id'`. The first that matches decides. Default: known crawlers are
   * `'background'`, all other requests are `'user-visible'`.
   */
  priorities?: readonly GuardPriority[] | undefined;
  /**
   * By what requests share the thread: the route, the address of the client, a header, a cookie, or
   * what a function returns. Default: `'route'`.
   */
  key?:
    | 'route'
    | 'address'
    | { readonly header: string }
    | { readonly cookie: string }
    | ((request: Request) => string | number | undefined)
    | undefined;
  /**
   * The time in ms that a request may wait, by priority. Default: that of `createAdmission()` of
   * `uv-scheduler/http`.
   */
  refuseAfter?: { readonly [Priority in TaskPriority]?: number | undefined } | undefined;
  /** The number of requests that may wait. Default: 10000. */
  maxQueued?: number | undefined;
  /** The number of requests that may run at the same time. Default: no number. */
  maxRunning?: number | undefined;
  /** The share of the heap's limit above which requests are refused. Default: 1, which is none. */
  maxHeap?: number | undefined;
  /** Whether known crawlers are background. Default: true. */
  crawlers?: boolean | undefined;
  /** The options of `uv-scheduler/health`, which answers probes. Default: no answers. */
  health?: GuardHealth | undefined;
  /** Whether the table of routes is written to standard error at the end. Default: true. */
  report?: boolean | undefined;
}

/**
 * Puts an admission in front of a server, as `node --import uv-scheduler/guard` does for all
 * servers of a process. Servers with the same options object share one.
 *
 * The flag takes its options from the environment variable `UV_SCHEDULER_GUARD`: a mode, or the
 * name of a file that ends in `.json`, `.mjs` or `.cjs`, which is looked at again every 5 s for its
 * mode. A mistake is one line on standard error, and the server runs without a guard.
 * `UV_SCHEDULER_DISABLE=admission` turns it off.
 *
 * An extension to the web's API.
 *
 * @returns the server
 * @throws {TypeError} if the server is none (`ERR_INVALID_ARG_TYPE`), or an option is wrong
 * (`ERR_INVALID_ARG_VALUE`).
 * @throws {Error} on Bun and Deno (`ERR_UV_SCHEDULER_UNSUPPORTED`).
 */
export function guard<Server extends object>(server: Server, options?: GuardOptions): Server;
