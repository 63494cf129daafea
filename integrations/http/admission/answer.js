'use strict';

// The answers that an admission gives by itself: to a request that is refused, to one whose
// classify() has failed, and to `Expect: 100-continue`.

// In seconds. Clients that were refused together must not come back together.
const RETRY_AFTER_LEAST = 1;
const RETRY_AFTER_MOST = 3;

// As Node has it.
const CONTINUE = /\b100-continue\b/i;

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

// Node tells a client that asked whether to send its body to do so before it emits `request`, but
// not before `checkContinue`. There the client is told when the listener begins to read the body. A
// listener may tell it earlier, or answer without the body.
function continueWhenRead(request, response) {
  if (!mayContinue(request)) return;
  // Code in front of the admission may be reading it.
  if (request.readableFlowing !== null || request.listenerCount('readable') > 0) {
    continueUnlessTold(request, response);
    return;
  }
  const { _read: read } = request;
  request._read = function (size) {
    request._read = read;
    continueUnlessTold(request, response);
    return read.call(this, size);
  };
}

// Clients of HTTP/1.0 know no `100 Continue`.
function mayContinue({ headers: { expect }, httpVersion }) {
  return expect !== undefined && CONTINUE.test(expect) && httpVersion !== '1.0';
}

function continueUnlessTold(request, response) {
  if (response.headersSent || response.writableEnded) return;
  const isTold = request.httpVersionMajor === 2
    ? response.stream?.sentInfoHeaders?.length > 0
    : response._sent100;
  if (!isTold) response.writeContinue();
}

module.exports = { answerBusy, answerFailed, continueWhenRead };
