// The responses of Node as `@types/node` declares them, for uv-scheduler/http. This file is only
// compiled, never run: compilation fails if a line marked with `@ts-expect-error` is accepted.

import { createServer } from 'node:http';
import { createServer as createServer2, type ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { taskController } from 'uv-scheduler/http';

createServer((request, response) => {
  taskController(response, { priority: 'background' });
  // @ts-expect-error: a request is no response.
  taskController(request);
});

createServer2((_request, response) => {
  taskController(response);
});

export function refused(socket: Socket, stream: ServerHttp2Stream): void {
  // @ts-expect-error: a socket is no response.
  taskController(socket);
  // @ts-expect-error: neither is a stream of the core API.
  taskController(stream);
}
