'use strict';

// The answers of an admission itself: to refused requests, to requests whose classify() has failed,
// and to `Expect: 100-continue`.

const { undocumented } = require('../../internal.js');

const { hasSentContinue, onFirstRead } = undocumented;

// In seconds. Spread, so that clients that were refused together do not retry together.
const RETRY_AFTER_LEAST = 1;
const RETRY_AFTER_MOST = 3;

// The same pattern as Node's.
const CONTINUE = /\b100-continue\b/i;

// Answers 503, or another status.
function answerBusy(request, response, { status = 503, headers = {} } = {}) {
  const span = RETRY_AFTER_MOST - RETRY_AFTER_LEAST + 1;
  const retryAfter = RETRY_AFTER_LEAST + Math.trunc(Math.random() * span);
  // Its server has loaded it.
  const { STATUS_CODES } = require('node:http');
  const text = `${STATUS_CODES[status] ?? 'Refused'}\n`;
  answer(request, response, status, text, { 'Retry-After': `${retryAfter}`, ...headers });
}

// Answers 500.
function answerFailed(request, response) {
  answer(request, response, 500, 'Internal Server Error\n', {});
}

// An unread body must neither be parsed as the next request nor be read to its end, so the
// connection is closed, or the stream of HTTP/2 is reset.
function answer(request, response, status, text, headers) {
  if (response.writableEnded) return;
  if (response.headersSent) {
    // The response was begun, and will not be finished.
    response.destroy();
    return;
  }
  // The code that failed may have set these headers.
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

// Node sends `100 Continue` before it emits `request`, but not before `checkContinue`. So the
// admission sends it when the listener begins to read the body. The listener may also send it
// earlier, or answer without the body.
function continueWhenRead(request, response) {
  if (!mayContinue(request)) return;
  // Code before the admission may already be reading the body.
  if (request.readableFlowing !== null || request.listenerCount('readable') > 0) {
    continueUnlessTold(request, response);
    return;
  }
  onFirstRead(request, () => continueUnlessTold(request, response));
}

// HTTP/1.0 has no `100 Continue`.
function mayContinue({ headers: { expect }, httpVersion }) {
  return expect !== undefined && CONTINUE.test(expect) && httpVersion !== '1.0';
}

function continueUnlessTold(request, response) {
  if (response.headersSent || response.writableEnded) return;
  const isTold = request.httpVersionMajor === 2
    ? response.stream?.sentInfoHeaders?.length > 0
    : hasSentContinue(response);
  if (!isTold) response.writeContinue();
}

module.exports = { answerBusy, answerFailed, continueWhenRead };
