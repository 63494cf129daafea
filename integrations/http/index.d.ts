/**
 * Work for a request that ends when its client leaves.
 *
 * Loading this in a host that the package does not support throws the same error as loading the
 * package: its code is `ERR_UV_SCHEDULER_UNSUPPORTED`.
 */

import type { TaskController, TaskPriority } from '../../index.js';

/** Options of {@link taskController}. */
export interface TaskControllerOptions {
  /** The initial priority of the controller's signal. Default: `'user-visible'`. */
  priority?: TaskPriority | undefined;
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
 * Returns a controller that is aborted when nobody waits for a request's response any longer. Tasks
 * with its signal, and their continuations, then end.
 *
 * From a response: it is aborted when the response closes before it was ended, because its client
 * has left or because the server destroyed it; at once, if that is so already. The reason is a
 * `DOMException` named `AbortError`; its `cause` is an error with the code `ECONNRESET`. Once the
 * response was ended the controller is never aborted by it, also if the client leaves before it has
 * received everything. Nothing refers to the controller then.
 *
 * From a signal, such as the `request.signal` of Next.js, Hono and h3: it is aborted when the
 * signal is, with its reason. The signal keeps the controller until then, so give it the signal of
 * a request and not one that lives as long as the process.
 *
 * A socket, which `upgrade` and `connect` events have instead of a response, is no response, and
 * neither are a request and a stream of `node:http2`'s core API.
 *
 * An extension to the web's API.
 *
 * @throws {TypeError} if the first argument is neither a response nor an `AbortSignal`
 * (`ERR_INVALID_ARG_TYPE`), if `options` is no object, or if the priority is none
 * (`ERR_INVALID_ARG_VALUE`).
 */
export function taskController(
  responseOrSignal: ServerResponseLike | AbortSignal,
  options?: TaskControllerOptions | null,
): TaskController;
