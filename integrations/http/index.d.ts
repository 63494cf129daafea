/**
 * For servers: a controller that aborts the work for a request when its client leaves, and
 * admission, which refuses requests that the process has no time for.
 *
 * Loading this in a host that the package does not support throws the same error as loading the
 * package: its code is `ERR_UV_SCHEDULER_UNSUPPORTED`. An unknown option throws
 * `ERR_INVALID_ARG_VALUE`.
 */

import type { DrainResult, TaskController, TaskPriority } from '../../index.js';
import type { TimeDistribution } from '../watch/index.js';

/** Options of {@link controllerFor}. */
export interface ControllerForOptions {
  /** The initial priority of the controller's signal. Default: `'user-visible'`. */
  priority?: TaskPriority | undefined;
  /**
   * A key for all requests of one origin, such as the id of a tenant: a string, of which the first
   * characters and a hash are kept if it has more than 120. Keys share the thread by the time that
   * they use. Default: the key from the admission, otherwise `''`.
   */
  fairnessKey?: string | number | undefined;
  /**
   * The weight of the key from now on: a key of weight 3 gets three times the thread time of a key
   * of weight 1. A number above 0; an error without a `fairnessKey`. Default: the weight that the
   * key has, which is 1 at first.
   */
  fairnessWeight?: number | undefined;
}

/**
 * A response of a server, recognized by its shape: `http.ServerResponse`,
 * `http2.Http2ServerResponse` and their subclasses. In Express it is `res`, in Fastify `reply.raw`,
 * in Koa `ctx.res`.
 */
export interface ServerResponseLike {
  /** Whether `end()` was called. */
  readonly writableEnded: boolean;
  /** The request. */
  readonly req: { on(event: 'aborted', listener: () => void): unknown };
  /** Adds a listener, as an `EventEmitter` does. */
  on(event: 'close', listener: () => void): unknown;
}

/**
 * Returns a controller that is aborted when the client of a request has left. Tasks with its
 * signal, and their continuations, then end.
 *
 * The tasks with this signal count as one request. Requests of one priority and key are served in
 * the order of arrival, but a request that has used much thread time goes behind requests that have
 * used little: a short page overtakes a long report, and pages of one size are completed one after
 * the other.
 *
 * From a response: the controller is aborted when the response closes before `end()` was called,
 * because the client has left or the server destroyed the response; immediately, if the response
 * has closed already. The reason is a `DOMException` named `AbortError`; its `cause` is an error
 * with the code `ECONNRESET`. After `end()` the controller is not aborted, even if the client
 * leaves before it has received everything. When the response has finished or closed, the priority
 * of the signal becomes `'user-visible'`, as further work is not part of the request any more;
 * `setPriority()` can change it again. The controller can then be collected.
 *
 * Each call for one response or signal returns the same controller, so `abort()` ends all work of
 * the request for a reason of yours, such as a time limit of a middleware. The options of a later
 * call change the request. For a request that {@link createAdmission} has admitted, this is the
 * controller of the request: `currentTaskSignal()` returns its signal, and its priority is the
 * priority of the request. In such a request, the request of a signal has the same key.
 *
 * From a signal, such as the `request.signal` of Next.js, Hono and h3: the controller is aborted
 * when the signal is, with its reason. The signal keeps the controller in memory until then, so
 * pass the signal of a request and not one that lives as long as the process. For `node:http`, pass
 * the response. The `request.signal` that Node itself has since 24.18 and 26.1 cannot be told from
 * other signals, and in some versions, such as 24.18.0, it aborts once the body was read.
 *
 * Not accepted: a request, the socket of an `upgrade` or `connect` event, and a stream of
 * `node:http2`'s core API.
 *
 * An extension to the web's API.
 *
 * @throws {TypeError} if the first argument is neither a response nor an `AbortSignal`
 * (`ERR_INVALID_ARG_TYPE`), if `options` is not an object, if the priority or an option is unknown
 * (`ERR_INVALID_ARG_VALUE`), or if the key is too long or the weight not above 0
 * (`ERR_OUT_OF_RANGE`).
 */
export function controllerFor(
  responseOrSignal: ServerResponseLike | AbortSignal,
  options?: ControllerForOptions | null,
): TaskController;

/** The members of a request of `node:http` or `node:http2` that {@link createAdmission} uses. */
export interface ServerRequestLike {
  /** The headers of the request. */
  readonly headers: object;
  /** Adds a listener, as an `EventEmitter` does. */
  on(event: 'aborted', listener: () => void): unknown;
}

/**
 * Why a request is refused: its wait is or would be too long (`wait`); too many other requests wait
 * (`queue`); `drain()` runs no tasks of its priority any more (`draining`); or the heap exceeds
 * `maxHeap` (`heap`).
 */
export type RefusalReason = 'wait' | 'queue' | 'draining' | 'heap';

/** How an admission answers refused requests. */
export interface RefusalOptions {
  /** The status, from 400 to 599. Default: 503. */
  status?: number | undefined;
  /** The status where the key of the request has used more than its share. Default: 429. */
  shareStatus?: number | undefined;
  /** Headers, beside `Content-Type` and `Retry-After`, which they replace. Default: none. */
  headers?: Record<string, string> | undefined;
}

/**
 * Options of {@link createAdmission}. `Request` and `Response` are the server's classes, such as
 * `IncomingMessage` and `ServerResponse`.
 */
export interface AdmissionOptions<Request = any, Response = any> {
  /**
   * Returns the priority of a request; `undefined` means `'user-visible'`. Called when the request
   * arrives, before its body is read. If `classify` throws, `handler()` answers 500 and warns once
   * (`UV_SCHEDULER_ADMISSION`), `middleware()` passes the error to `next()`, and `admit()` rejects
   * its promise with the error, so that the framework answers. Default: all requests are
   * `'user-visible'`.
   */
  classify?: ((request: Request) => TaskPriority | undefined) | undefined;
  /**
   * Returns the label of the task in which a request begins, for reports, monitors and traces, such
   * as its method and route, without ids. An error has the same effect as an error of `classify`.
   * Default: `'request'`.
   */
  label?: ((request: Request) => string | undefined) | undefined;
  /**
   * Returns a key for all requests of one origin, such as the id of a tenant: a string, of
   * which the first characters and a hash are kept if it has more than 120; `undefined` means `''`.
   * Keys share the thread by the time that they use, and requests of a key that exceeds its share
   * are refused first. An error of `fairnessKey` has the same effect as an error of `classify`.
   * `'route'`: the route of the request, as {@link RouteCounts} names it.
   * Default: all requests have the key `''`.
   */
  fairnessKey?: ((request: Request) => string | number | undefined) | 'route' | undefined;
  /**
   * Returns the weight of a key, which it gets as it is kept: a key of weight 3 gets three times
   * the thread time of a key of weight 1. A number above 0; `undefined` leaves the weight as it is.
   * An error without a `fairnessKey`. Default: all keys have the weight 1, or what
   * `controllerFor()` and tasks give them.
   */
  fairnessWeight?: ((key: string) => number | undefined) | undefined;
  /**
   * The time in ms that a request may wait for its first turn, by priority, above 0; `Infinity`: no
   * bound. Refusal starts after the oldest request has exceeded `refuseAfter` for another such
   * period, and for background requests for five such periods, so that short bursts are served.
   * A request of a fairness key that has used less than its share of the thread may wait for twice
   * that time. Default: 1000 for `'user-blocking'`, 250 for `'user-visible'` and 500 for
   * `'background'`, or ten times the thread time that requests of its key take, up to 1000, if that
   * is more.
   */
  refuseAfter?: { readonly [Priority in TaskPriority]?: number | undefined } | undefined;
  /**
   * The number of requests that may wait. If the queue is full, a new request replaces the newest
   * waiting request of the lowest priority below its own, or else of a key with more waiting
   * requests at its own priority; without such a request it is refused. Default: 10000.
   */
  maxQueued?: number | undefined;
  /**
   * The number of requests that may run at the same time; further requests wait, by priority. A
   * request runs until its response has finished or closed. While requests of several fairness keys
   * wait, the next is one of the key whose requests have run for the least time per weight.
   * `'user-blocking'` requests may exceed the bound by a tenth, at least by one. For a bottleneck
   * behind the process, such as a pool of connections, whose own queue knows no priorities.
   * Default: no number. With it or without, a request begins when the thread has time for it: the
   * requests of its priority and of higher ones that have begun are expected to take 25 ms of the
   * thread's time at most, or the time of one.
   */
  maxRunning?: number | undefined;
  /**
   * The time in milliseconds for which the tasks and continuations of a started background request
   * may be queued, in sum, until the priority of the request becomes `'user-visible'` for good;
   * `Infinity`: never. A started request holds connections, locks and memory that other requests
   * need, so it must complete in any overload. Default: 400.
   */
  raiseAfter?:
    | {
      /** In ms. Default: 400. */
      readonly background?: number | undefined;
    }
    | undefined;
  /**
   * Answers a refused request. If `refuse` throws or rejects, the client gets the default answer,
   * and a warning (`UV_SCHEDULER_ADMISSION`) is emitted once. Default: 503 with a `Retry-After` of
   * 1 to 3 seconds, or 429 where the key of the request has used more than its share; if the body
   * was not read, the connection is closed, or the stream of HTTP/2 reset.
   */
  refuse?: ((request: Request, response: Response, reason: RefusalReason) => unknown) | undefined;
  /** The status and headers of the default answer to refused requests. */
  refusal?: RefusalOptions | undefined;
  /**
   * A share of the heap's limit, above 0 and up to 1. While the heap after the last full garbage
   * collection exceeds it, background and user-visible requests are refused. Default: 1, which
   * refuses none.
   */
  maxHeap?: number | undefined;
  /**
   * Whether requests are only observed; a function says it for each request. An observed request is
   * served at once, without a task, a priority and a controller. Its thread time is counted, and
   * `wouldRefuse` whether it would have been refused. Default: false.
   */
  observe?: boolean | ((request: Request) => boolean) | undefined;
  /** Whether `routes()` has rows. `fairnessKey: 'route'` implies it. Default: false. */
  routes?: boolean | undefined;
}

/** What the requests of a route took; see {@link Admission.routes}. */
export interface RouteCounts {
  /**
   * The method and the path, such as `GET /users/:id`. Express names the route itself. Elsewhere,
   * segments that look like ids are `:id`, and a segment with more than 40 values is `*`. At most a
   * thousand routes are told apart; the others are `(others)`.
   */
  readonly route: string;
  /** Requests that have begun or were refused. */
  readonly requests: number;
  /** The thread time of their code in ms, also behind an `await`. */
  readonly threadTime: number;
  /** The longest time in ms for which a request has blocked the thread in one go. */
  readonly longest: number;
  /**
   * Percentiles of the waits in ms, up to 40 % too high: for the first turn, or, of observed
   * requests, the time for which the thread ran other code until the answer began.
   */
  readonly wait: { readonly p50: number; readonly p99: number };
  /** Requests that were refused. */
  readonly refused: number;
  /**
   * Observed requests that would have been refused, at least: connections that a busy server has
   * not accepted yet are not seen.
   */
  readonly wouldRefuse: number;
  /** Requests whose client left after they had begun. */
  readonly left: number;
}

/** The counts of an {@link Admission} for one priority. */
export interface AdmissionCounts {
  /** Requests that got their first turn. */
  readonly admitted: number;
  /** Requests that were refused, by reason. */
  readonly refused: { readonly [Reason in RefusalReason]: number };
  /** Requests that were only observed. */
  readonly observed: number;
  /** Observed requests that would have been refused, at least. */
  readonly wouldRefuse: number;
  /** Requests whose client left while they waited. */
  readonly left: number;
  /** Requests that other code answered, or aborted by their controller, while they waited. */
  readonly withdrawn: number;
  /** Requests whose priority `raiseAfter` raised to user-visible. */
  readonly raised: number;
  /** The thread time in ms that the code of admitted requests has taken, also behind an `await`. */
  readonly threadTime: number;
  /** Requests that wait for their first turn now. */
  readonly queued: number;
  /** Admitted requests whose responses have neither finished nor closed. */
  readonly running: number;
  /**
   * The most requests that may run before one of this priority waits, by the option `maxRunning`;
   * `null` without it.
   */
  readonly maxRunning: number | null;
  /** The waits of admitted requests for their first turn, in ms. */
  readonly wait: TimeDistribution;
}

/** The result of {@link createAdmission}. Its functions work without a receiver. */
export interface Admission<Request = any, Response = any> {
  /**
   * Returns a listener for the events `request` and `checkContinue` of a server of `node:http` or
   * `node:http2`, which calls `listener` for admitted requests. The promise is fulfilled with
   * whether `listener` was called, also if `listener` failed with the reason of the request's
   * signal, or with an `AbortError` of Node's own APIs whose `cause` is that reason. Any other
   * error of `listener` rejects the promise. As `node:http` ignores the promise, such an error is
   * an unhandled rejection, like without an admission.
   *
   * If a client sends `Expect: 100-continue` to a server with a listener of `checkContinue`, the
   * server requests the body when `listener` calls `response.writeContinue()` or begins to read the
   * body. If `listener` answers without either, the client does not send the body.
   */
  handler<R extends Request, S extends Response>(
    listener: (request: R, response: S) => unknown,
  ): (request: R, response: S) => Promise<boolean>;
  /** A middleware of Express or Connect. Passes an error of `classify` to `next`. */
  middleware(request: Request, response: Response, next: (error?: any) => unknown): void;
  /**
   * For other frameworks: calls `run` when the request is admitted. Once the promise of `run` has
   * settled, the result is fulfilled with whether `run` was called; it is rejected under the same
   * conditions as for `handler()`. In Fastify, pass `request.raw` and `reply.raw`; in Koa,
   * `ctx.req` and `ctx.res`.
   */
  admit(request: Request, response: Response, run: () => unknown): Promise<boolean>;
  /** Returns the counts since the start, by priority. `JSON.stringify()` shows plain numbers. */
  counts(): { readonly [Priority in TaskPriority]: AdmissionCounts };
  /** Returns the counts since the start, by route, with most thread time first. */
  routes(): RouteCounts[];
}

/**
 * Decides for each request whether it is served. Under overload, requests that would wait too long
 * are refused early, lowest priority first, so that the other requests are served in time.
 *
 * The listener runs in a task of the request's priority. All work that it starts inherits the
 * priority, also behind body parsers and in the callbacks of timers and I/O, until the response has
 * finished or closed; then the priority becomes `'user-visible'`. The task also ends then, so
 * `drain()` waits for admitted requests, and runs all tasks of a started request at any priority.
 *
 * If a client leaves, only work that uses the signal of the client is aborted:
 * `currentTaskSignal()` returns this signal at any depth, for example in
 * `pieces(rows, { signal: currentTaskSignal() })`. {@link controllerFor} returns the controller of
 * the request.
 *
 * Upgrades (WebSockets) bypass the admission.
 *
 * The environment variable `UV_SCHEDULER_DISABLE=admission` turns off all admissions of a process,
 * as `UV_SCHEDULER_DISABLE=all` does.
 * Each request is then served in the event of its arrival, without an admission: `classify` and
 * `refuse` are not called, the request has no task, priority or fairness key, `currentTaskSignal()`
 * returns `undefined`, {@link controllerFor} returns the controller of the response, `drain()` does
 * not wait for the request, and the counts stay 0. Options are still checked. If the variable has
 * another value when the package loads, a process warning has the code `UV_SCHEDULER_DISABLE`.
 *
 * An extension to the web's API.
 *
 * @throws {TypeError} if an option is invalid or unknown (`ERR_INVALID_ARG_TYPE`,
 * `ERR_INVALID_ARG_VALUE`, `ERR_OUT_OF_RANGE`).
 */
export function createAdmission<Request = any, Response = any>(
  options?: AdmissionOptions<Request, Response> | null,
): Admission<Request, Response>;

/** Options of {@link shutDown}: the options of `drain()`, and `delay`. */
export interface ShutDownOptions {
  /**
   * The time in ms for which the server goes on before it is closed, from 0 to 2^53-1: load
   * balancers learn late that it ends. `/ready` of `uv-scheduler/health` says no at once.
   * `timeout` counts from the end of this time. Default: 0.
   */
  delay?: number | undefined;
  /** Tasks and requests below this priority are rejected or refused. Default: `'user-visible'`. */
  keep?: TaskPriority | undefined;
  /**
   * The time in ms after which tasks that have not settled are rejected with a `TimeoutError`, and
   * connections are closed, from 0 to 2^53-1 or `Infinity`. Default: `Infinity`.
   */
  timeout?: number | undefined;
  /**
   * Ends the wait when this signal is aborted. The server stays closed, or behind an abort during
   * `delay` open. Default: none.
   */
  signal?: AbortSignal | undefined;
}

/** A server of `node:http`, `node:https` or `node:http2`. */
export interface ServerLike {
  /** Whether the server listens for connections. */
  readonly listening: boolean;
  /** Stops the server from accepting connections. */
  close(callback?: (error?: Error) => void): unknown;
}

/**
 * Shuts a server down, for example on SIGTERM: after `delay` closes it to new connections and calls
 * `drain()`, which lets tasks and admitted requests finish. Responses that have not begun have
 * `Connection: close`. A kept-alive connection is closed after 200 to 400 ms without a request, so
 * a request that is on its way is answered. A connection that has sent nothing is closed after a
 * second, and until then the others stay open, too. After `timeout` the remaining connections are
 * closed, except upgraded ones (WebSockets), which the application must close.
 *
 * A session of HTTP/2 gets a GOAWAY frame at its next request, or when a connection without a
 * request would be closed. Its streams end, and then it is closed. On Node 20 and 22, idle sessions
 * that are older than the loading of this module get the frame at their next request only.
 *
 * In Express and Koa the server is the result of `listen()`, in Fastify `fastify.server`.
 *
 * An extension to the web's API.
 *
 * @returns a promise for the counts of `drain()`, fulfilled when the tasks have settled and all
 * connections are closed, or at `timeout`. It is rejected with the reason of `signal`, or with a
 * `TypeError` if an argument is invalid (`ERR_INVALID_ARG_TYPE`, `ERR_INVALID_ARG_VALUE`,
 * `ERR_OUT_OF_RANGE`).
 */
export function shutDown(
  server: ServerLike,
  options?: ShutDownOptions | null,
): Promise<DrainResult>;
