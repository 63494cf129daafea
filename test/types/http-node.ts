// The responses of Node as `@types/node` declares them, for uv-scheduler/http.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createServer2, type ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { createAdmission, controllerFor, type AdmissionCounts } from 'uv-scheduler/http';

createServer((request, response) => {
  controllerFor(response, { priority: 'background' });
  // @ts-expect-error: a request is no response.
  controllerFor(request);
});

createServer2((_request, response) => {
  controllerFor(response);
});

export function refused(socket: Socket, stream: ServerHttp2Stream): void {
  // @ts-expect-error: a socket is no response.
  controllerFor(socket);
  // @ts-expect-error: neither is a stream of the core API.
  controllerFor(stream);
}

// An admission takes the requests and responses of both.
export function admissions(): void {
  const plain = createAdmission();
  createServer(plain.handler(async (request, response) => {
    response.end(request.url);
  })).on('checkContinue', plain.handler((request, response) => response.end(request.method)));
  createServer2(plain.handler((request, response) => response.end(request.authority)));
  const admission = createAdmission<IncomingMessage, ServerResponse>({
    classify: ({ url }) => (url === '/' ? 'user-visible' : undefined),
    refuseAfter: { background: Infinity },
    maxQueued: 100,
    refuse: (request, response, reason) => response.end(reason),
  });
  createServer((request, response) => {
    admission.middleware(request, response, () => response.end());
    const called: Promise<boolean> = admission.admit(request, response, () => response.end());
    void called;
  });
  const { admitted, refused, wait }: AdmissionCounts = admission.counts()['user-blocking'];
  const numbers: number[] = [admitted, refused.wait, refused.queue, refused.draining, wait.sum];
  void numbers;
  // @ts-expect-error: no such option.
  createAdmission({ refuseAfer: {} });
  // @ts-expect-error: no such priority.
  createAdmission({ refuseAfter: { high: 1 } });
  // @ts-expect-error: no priority.
  createAdmission({ classify: () => 1 });
}
