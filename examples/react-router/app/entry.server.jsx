// Renders a page as a stream. The sections take part in the order of all tasks, with the priority
// and the signal of the task in which the server handles the request.

import { PassThrough } from 'node:stream';
import { createReadableStreamFromReadable } from '@react-router/node';
import { renderToPipeableStream } from 'react-dom/server';
import { ServerRouter } from 'react-router';

export default function handleRequest(request, status, headers, context) {
  const { signal } = request;
  return new Promise((resolve, reject) => {
    const page = <ServerRouter context={context} url={request.url} />;
    const { pipe, abort } = renderToPipeableStream(page, {
      onShellReady() {
        const body = new PassThrough();
        headers.set('content-type', 'text/html; charset=utf-8');
        resolve(new Response(createReadableStreamFromReadable(body), { status, headers }));
        pipe(body);
      },
      onShellError: reject,
      onError: (error) => report(error, signal),
    });
    signal.addEventListener('abort', () => abort(signal.reason), { once: true });
  });
}

// Errors of loaders and actions.
export function handleError(error, { request }) {
  report(error, request.signal);
}

// Neither that a visitor has left nor what drain() refuses is an error of the site.
function report(error, signal) {
  if (!signal.aborted && error?.name !== 'AbortError') console.error(error);
}
