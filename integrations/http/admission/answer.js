'use strict';

// What HTTP needs: the answer to a request that is refused, and the one to `Expect: 100-continue`.

// In seconds. Clients that were refused together must not come back together.
const RETRY_AFTER_LEAST = 1;
const RETRY_AFTER_MOST = 3;

const STATUS = 503;
const TEXT = 'Service Unavailable\n';

const CONTINUE = /^100-continue$/i;

// Answers 503. A body that was not read must not be taken for the next request, nor be read to its
// end: the connection is closed, or the stream of HTTP/2 is reset.
function answerBusy(request, response) {
  if (response.writableEnded) return;
  if (response.headersSent) {
    // It was begun, and will not be finished.
    response.destroy();
    return;
  }
  const span = RETRY_AFTER_MOST - RETRY_AFTER_LEAST + 1;
  const retryAfter = RETRY_AFTER_LEAST + Math.trunc(Math.random() * span);
  response.statusCode = STATUS;
  response.setHeader('Retry-After', `${retryAfter}`);
  response.setHeader('Content-Type', 'text/plain');
  if (!hasUnreadBody(request)) {
    response.end(TEXT);
  } else if (request.httpVersionMajor === 2) {
    const { stream } = response;
    response.end(TEXT, () => stream.close());
  } else {
    response.setHeader('Connection', 'close');
    response.end(TEXT);
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
    ? response.stream?.sentInfoHeaders.length > 0
    : response._sent100;
  if (!isTold) response.writeContinue();
}

module.exports = { answerBusy, continueIfAsked };
