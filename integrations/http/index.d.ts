/**
 * For servers: work for a request that ends when its client leaves, and admission, which decides
 * whom to serve when there are more requests than the process has time for.
 *
 * Loading this in a host that the package does not support throws the same error as loading the
 * package: its code is `ERR_UV_SCHEDULER_UNSUPPORTED`. An option that does not exist is refused with
 * `ERR_INVALID_ARG_VALUE`.
 */

import type { DrainResult, TaskController, TaskPriority, TimeDistribution } from '../../index.js';

/** Options of {@link controllerFor}. */
export interface ControllerForOptions {
  /** The initial priority of the controller's signal. Default: `'user-visible'`. */
  priority?: TaskPriority | undefined;
  /**
   * What requests of one origin have in common, such as the id of a tenant: a string of at most 120
   * characters. Keys share the thread by the time that they use. Default: `''`, or what an admission
   * has given.
   */
  fairnessKey?: string | undefined;
  /**
   * The weight of the key from now on: a key of weight 3 gets three times the thread time of a key of
   * weight 1. A number above 0. Default: 1.
   */
  fairnessWeight?: number | undefined;
}

/**
 * A response of a server, known by its shape: `http.ServerResponse`, `http2.Http2ServerResponse`
 * and what extends them. Express has it as `res`, Fastify as `reply.raw`, Koa as `ctx.res`.
 */
export interface ServerResponseLike {
  readonly writableEnded: boolean;
  readonly req: { on(event: 'aborted', listener: () => void): unknown };
  on(event: 'close', listener: () => void): unknown;
}

/**
 * Returns a controller that is aborted when the client of a request has left. Tasks with its signal,
 * and their continuations, then end.
 *
 * The tasks with its signal are one request. Requests of one priority and key are served first come,
 * first served, but one that has used much thread time goes behind those that have used little: a
 * short page overtakes a long report, and pages of one size are finished one after the other.
 *
 * From a response: the controller is aborted when the response closes before it was ended, because
 * its client has left or because the server destroyed it; at once, if that is so already. The reason
 * is a `DOMException` named `AbortError`; its `cause` is an error with the code `ECONNRESET`. Once
 * the response was ended it never aborts the controller, also if the client leaves before it has
 * received everything. When the response has finished or closed, the priority of the signal becomes
 * `'user-visible'`: what goes on is no part of the request any more. `setPriority()` can set it
 * anew. Nothing refers to the controller then.
 *
 * Within a request that {@link createAdmission} knows, it is the request's own controller, always
 * the same one: its signal is what `currentTaskSignal()` returns, its priority that of the request,
 * and `abort()` ends the request for a reason of yours, such as a time limit. The option `priority`,
 * if given, then sets the priority of the request.
 *
 * From a signal, such as the `request.signal` of Next.js, Hono and h3: the controller is aborted when
 * the signal is, with its reason. The signal keeps the controller until then, so give it the signal
 * of a request and not one that lives as long as the process.
 *
 * A socket, which `upgrade` and `connect` events have instead of a response, is no response, and
 * neither are a request and a stream of `node:http2`'s core API.
 *
 * An extension to the web's API.
 *
 * @throws {TypeError} if the first argument is neither a response nor an `AbortSignal`
 * (`ERR_INVALID_ARG_TYPE`), if `options` is no object, if the priority is none
 * (`ERR_INVALID_ARG_VALUE`), or if the key is too long or the weight not above 0
 * (`ERR_OUT_OF_RANGE`).
 */
export function controllerFor(
  responseOrSignal: ServerResponseLike | AbortSignal,
  options?: ControllerForOptions | null,
): TaskController;

/** What {@link createAdmission} needs of a request of `node:http` or `node:http2`. */
export interface ServerRequestLike {
  readonly headers: object;
  on(event: 'aborted', listener: () => void): unknown;
}

/**
 * Why a request is refused: it would wait, or has waited, too long (`wait`); too many others wait
 * (`queue`); or `drain()` runs no tasks of its priority any more (`draining`).
 */
export type RefusalReason = 'wait' | 'queue' | 'draining';

/**
 * Options of {@link createAdmission}. `Request` and `Response` are the server's classes, such as
 * `IncomingMessage` and `ServerResponse`.
 */
export interface AdmissionOptions<Request = any, Response = any> {
  /**
   * Returns the priority of a request. It is called when the request arrives, before its body was
   * read. If it throws, `handler()` answers 500 and warns once (`UV_SCHEDULER_ADMISSION`);
   * `middleware()` gives the error to `next()`, and the promise of `admit()` is rejected with it, so
   * that the framework answers. Default: all are `'user-visible'`.
   */
  classify?: ((request: Request) => TaskPriority | undefined) | undefined;
  /**
   * Returns what requests of one origin have in common, such as the id of a tenant: a string of at
   * most 120 characters; `undefined` means `''`. Keys share the thread by the time that they use,
   * and a key that sends more than its share is refused first. If it throws, that is as if
   * `classify` did. Default: all requests have the key `''`.
   */
  fairnessKey?: ((request: Request) => string | undefined) | undefined;
  /**
   * Returns the weight of a key: a key of weight 3 gets three times the thread time of a key of
   * weight 1. A number above 0; `undefined` means 1. Default: all keys have the weight 1.
   */
  fairnessWeight?: ((key: string) => number | undefined) | undefined;
  /**
   * How many milliseconds a request of a priority may wait for its first turn; `Infinity`: as long
   * as it has to. The bound holds while the server is overloaded: a short crowd, as there is at any
   * load, may wait for twice as long, and in the background for six times as long, before anybody
   * is refused. Default: 1000 for `'user-blocking'`, 250 for `'user-visible'` and 500 for
   * `'background'`.
   */
  refuseAfter?: { readonly [Priority in TaskPriority]?: number | undefined } | undefined;
  /**
   * How many requests may wait. One more takes the place of the newest of the least important ones
   * that are less important; without such it is refused. Default: 10000.
   */
  maxQueued?: number | undefined;
  /**
   * How many requests may have begun and not settled; the others wait, by priority. A request settles
   * when its response has finished or closed. `'user-blocking'` requests may exceed it by a tenth, by
   * one at least. For a bottleneck behind the process, such as a pool of connections, where requests
   * would otherwise wait first come, first served, unseen. Default: `Infinity`.
   */
  maxRunning?: number | undefined;
  /**
   * For how many milliseconds the tasks and continuations of a request that has begun may be queued,
   * in sum, until its priority becomes `'user-visible'` to its end; `Infinity`: for ever. Such a
   * request holds connections, locks and memory that others need, so it goes on in any overload.
   * Only requests of the background have this bound. Default: 400.
   */
  maxWait?:
    | {
      /** In ms. Default: 400. */
      readonly background?: number | undefined;
    }
    | undefined;
  /**
   * Answers a request that is refused. If it throws or rejects, the client gets the default answer,
   * and a warning (`UV_SCHEDULER_ADMISSION`) is emitted once. Default: 503 with a `Retry-After` of 1
   * to 3 seconds. If the body was not read, the connection is closed, or the stream of HTTP/2 reset.
   */
  refuse?: ((request: Request, response: Response, reason: RefusalReason) => unknown) | undefined;
}

/** What an {@link Admission} has counted for one priority. */
export interface AdmissionCounts {
  /** Requests that got their first turn. */
  readonly admitted: number;
  /** Requests that were refused, by reason. */
  readonly refused: { readonly [Reason in RefusalReason]: number };
  /** Requests whose client left while they waited. */
  readonly left: number;
  /** Requests that other code answered, or aborted by their controller, while they waited. */
  readonly withdrawn: number;
  /** Requests whose priority became user-visible, by `maxWait`. */
  readonly raised: number;
  /** Requests that wait for their first turn now. */
  readonly queued: number;
  /** Admitted requests whose responses have neither finished nor closed. */
  readonly running: number;
  /** How many ms admitted requests waited for their first turn. */
  readonly wait: TimeDistribution;
}

/** What {@link createAdmission} returns. Its functions need no receiver. */
export interface Admission<Request = any, Response = any> {
  /**
   * A listener for the events `request` and `checkContinue` of a server of `node:http` or
   * `node:http2`. It calls `listener` for requests that are admitted. Its promise fulfils with
   * whether `listener` was called, also if `listener` was rejected with the reason of the request's
   * signal, or with an `AbortError` of Node's own APIs whose `cause` is the reason. Another error of
   * the listener rejects it. As `node:http` ignores the promise, such an
   * error is an unhandled rejection there, as it is without an admission.
   *
   * A client that sent `Expect: 100-continue` to a server with a listener of `checkContinue` is told
   * to send the body when `listener` calls `response.writeContinue()`, or begins to read the body.
   * A listener that answers without either does not get the body.
   */
  handler<R extends Request, S extends Response>(
    listener: (request: R, response: S) => unknown,
  ): (request: R, response: S) => Promise<boolean>;
  /** A middleware of Express or Connect. An error of `classify` goes to `next`. */
  middleware(request: Request, response: Response, next: (error?: any) => unknown): void;
  /**
   * For other frameworks: calls `run` when the request is admitted. Fulfils with whether it was
   * called, once the promise that it returned has settled; rejects as `handler()` does. Fastify has the request as
   * `request.raw` and `reply.raw`, Koa as `ctx.req` and `ctx.res`.
   */
  admit(request: Request, response: Response, run: () => unknown): Promise<boolean>;
  /** What was counted since the start, by priority. `JSON.stringify()` shows plain numbers. */
  counts(): { readonly [Priority in TaskPriority]: AdmissionCounts };
}

/**
 * Decides for each request whether it is served, while there are more than the process has time
 * for. Requests that would wait too long are refused at once, the least important first, so that
 * the others are served in time.
 *
 * The listener runs in a task of the request's priority. All that it leads to inherits the priority,
 * also behind body parsers and in the callbacks of timers and I/O, until the response has finished
 * or closed; from then on that is `'user-visible'`. The task lasts as long, so `drain()` waits for
 * it, and lets all tasks of a request that has begun run, whatever their priority.
 *
 * No work is aborted because a client has left, unless it names the signal of the client:
 * `currentTaskSignal()` returns it, at any depth, as in `pieces(rows, { signal: currentTaskSignal()
 * })`. {@link controllerFor} returns the controller of the request.
 *
 * Upgrades (WebSockets) do not pass through it.
 *
 * The environment variable `UV_SCHEDULER_DISABLE=admission` turns all admissions of a process off.
 * Each request is then served at once in the event of its arrival, as without an admission:
 * `classify` and `refuse` are not called, none is refused, it has no task, priority or fairness key,
 * `currentTaskSignal()` returns `undefined` and {@link controllerFor} the controller of the request,
 * `drain()` does not wait for it, and the counts stay 0. Options are checked all the same. Another
 * value is reported by a process warning with the code `UV_SCHEDULER_DISABLE`.
 *
 * An extension to the web's API.
 *
 * @throws {TypeError} if an option is wrong, or if there is no such option
 * (`ERR_INVALID_ARG_TYPE`, `ERR_INVALID_ARG_VALUE`, `ERR_OUT_OF_RANGE`).
 */
export function createAdmission<Request = any, Response = any>(
  options?: AdmissionOptions<Request, Response> | null,
): Admission<Request, Response>;

/** Options of {@link shutDown}: those of `drain()`. */
export interface ShutDownOptions {
  /** Tasks and requests below this priority are rejected or refused. Default: `'user-visible'`. */
  priority?: TaskPriority | undefined;
  /**
   * The time in ms after which tasks that have not settled are rejected with a `TimeoutError`, and
   * connections are closed, from 0 to 2^53-1 or `Infinity`. Default: `Infinity`.
   */
  timeout?: number | undefined;
  /** Stops waiting when it is aborted. The server remains closed to new connections. Default: none. */
  signal?: AbortSignal | undefined;
}

/** A server of `node:http`, `node:https` or `node:http2`. */
export interface ServerLike {
  readonly listening: boolean;
  close(callback?: (error?: Error) => void): unknown;
}

/**
 * Ends a server, as on SIGTERM. It takes no new connection, and calls `drain()`, which lets tasks and
 * admitted requests finish. Responses that have not begun carry `Connection: close`; sessions of
 * HTTP/2 get a GOAWAY frame. A kept-alive connection that brings no request for 200 to 400 ms is
 * closed, so a request that is on its way is answered. At `timeout` the connections that are left are
 * closed, except upgraded ones (WebSockets), which the application has to close.
 *
 * Express, Koa and Fastify have such a server: what `listen()` returns, and `fastify.server`.
 *
 * An extension to the web's API.
 *
 * @returns a promise for the counts of `drain()`, fulfilled when the tasks have settled and all
 * connections are closed, or at `timeout`. It is rejected with the reason of `signal`, or with a
 * `TypeError` if an argument is invalid (`ERR_INVALID_ARG_TYPE`, `ERR_INVALID_ARG_VALUE`,
 * `ERR_OUT_OF_RANGE`).
 */
export function shutDown(server: ServerLike, options?: ShutDownOptions | null): Promise<DrainResult>;
