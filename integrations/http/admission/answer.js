'use strict';

// The answers that an admission gives by itself: to a request that is refused, to one whose
// classify() has failed, and to `Expect: 100-continue`.

// In seconds. Clients that were refused together must not come back together.
const RETRY_AFTER_LEAST = 1;
const RETRY_AFTER_MOST = 3;

const CONTINUE = /^100-continue$/i;

// Answers 503.
function answerBusy(request, response) {
  const span = RETRY_AFTER_MOST - RETRY_AFTER_LEAST + 1;
  const retryAfter = RETRY_AFTER_LEAST + Math.trunc(Math.random() * span);
  answer(request, response, 503, 'Service Unavailable\n', { 'Retry-After': `${retryAfter}` });
}

// Answers 500.
function answerFailed(request, response) {
  answer(request, response, 500, 'Internal Server Error\n', {});
}

// A body that was not read must not be taken for the next request, nor be read to its end: the
// connection is closed, or the stream of HTTP/2 is reset.
function answer(request, response, status, text, headers) {
  if (response.writableEnded) return;
  if (response.headersSent) {
    // It was begun, and will not be finished.
    response.destroy();
    return;
  }
  // Code that has failed may have set them.
  for (const name of ['Content-Length', 'Content-Encoding']) response.removeHeader(name);
  response.statusCode = status;
  response.setHeader('Content-Type', 'text/plain');
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (!hasUnreadBody(request)) {
    response.end(text);
  } else if (request.httpVersionMajor === 2) {
    const { stream } = response;
    response.end(text, () => stream.close());
  } else {
    response.setHeader('Connection', 'close');
    response.end(text);
  }
}

// Node parses the end of a request without a body only after its listeners were called.
function hasUnreadBody(request) {
  if (request.complete) return false;
  const { headers } = request;
  if (request.httpVersionMajor === 2) return request.stream?.endAfterHeaders === false;
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0;
}

// Tells a client that asked whether to send its body to do so, if nobody has: Node does it before
// it emits `request`, but not before `checkContinue`.
function continueIfAsked(request, response) {
  const { expect } = request.headers;
  if (expect === undefined || !CONTINUE.test(expect)) return;
  if (response.headersSent || response.writableEnded) return;
  const isTold = request.httpVersionMajor === 2
    ? response.stream?.sentInfoHeaders?.length > 0
    : response._sent100;
  if (!isTold) response.writeContinue();
}

module.exports = { answerBusy, answerFailed, continueIfAsked };
