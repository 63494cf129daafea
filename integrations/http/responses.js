'use strict';

// Responses of node:http and node:http2, which are recognized only by their shape, so that neither
// is loaded: when a response has finished, or has closed before that.
//
// A response that closes before end() is aborted, by `writableEnded` only: HTTP/2 marks a cancelled
// response as finished, and the request of a POST closes when its body was read.

const { webidl, withCode } = require('../internal.js');

const QUEUED = Symbol('uv-scheduler.queued');

// Sockets (of an upgrade or CONNECT) and HTTP/2 streams have no `req`, requests no `writableEnded`.
function isResponse(value) {
  if (!webidl.isObject(value) || typeof value.writableEnded !== 'boolean') return false;
  return isEmitter(value) && isEmitter(value.req);
}

function isEmitter(value) {
  return webidl.isObject(value) && typeof value.on === 'function';
}

// Calls `over(reason)` when the response has finished or closed, immediately if it already has. The
// reason is undefined if it has finished.
function onceOver(response, over) {
  if (response.writableEnded || isGone(response)) {
    over(reasonOf(response));
    return;
  }
  const { req: request } = response;
  const stream = streamOf(response);
  // A response of HTTP/2 to a HEAD request emits nothing if it is cancelled; its stream does.
  const closing = stream ?? response;
  const queuedOn = stream === undefined ? socketAhead(response) : undefined;
  let isSettled = false;
  const settle = () => {
    // Listeners that a listener removes are called in the same event all the same: HTTP/2 emits
    // `finish` in the `close` of the stream.
    if (isSettled) return;
    isSettled = true;
    closing.removeListener('close', settle);
    response.removeListener('finish', settle);
    request.removeListener('aborted', settle);
    if (queuedOn !== undefined) unwatch(queuedOn, settle);
    over(reasonOf(response));
  };
  closing.on('close', settle);
  // Frameworks' mocks of a response may finish without closing.
  response.on('finish', settle);
  request.on('aborted', settle);
  if (queuedOn === undefined) return;
  watch(queuedOn, settle);
  if (response[QUEUED] === undefined) {
    Object.defineProperty(response, QUEUED, { __proto__: null, value: [] });
  }
  response[QUEUED].push(settle);
}

// A response was ended. If it is pipelined, it finishes only behind those before it, which may wait
// for the place of this one.
function noteEnd(response) {
  response[QUEUED]?.forEach((settle) => settle());
}

// The stream of a response of HTTP/2. On other responses a framework may define `stream` as any
// value.
function streamOf({ req: request, stream }) {
  return request.httpVersionMajor === 2 && isEmitter(stream) ? stream : undefined;
}

// The socket of a pipelined response that waits for an earlier one, and until then has no socket
// itself.
function socketAhead({ req: request, socket }) {
  return socket === null && isEmitter(request.socket) ? request.socket : undefined;
}

// Whether the client has left, or the response was destroyed.
function isGone(response) {
  const { req: request } = response;
  if (request.aborted === true) return true;
  const stream = streamOf(response);
  if (stream !== undefined) return stream.closed || stream.destroyed;
  return response.destroyed === true || request.socket?.destroyed === true;
}

function reasonOf({ writableEnded }) {
  if (writableEnded) return undefined;
  const cause = withCode(new Error('the connection was closed'), 'ECONNRESET');
  const message = 'The response was closed before it was ended';
  return new DOMException(message, { __proto__: null, name: 'AbortError', cause });
}

// If the client leaves, a pipelined response that waits for an earlier one on its connection emits
// no event on Node 20 and 22, nor does its request once it was read to its end: only the socket
// does. All responses of a socket share one listener, as Node warns of more than ten.
const watched = new WeakMap();

class SocketListener {
  #settles = new Set();

  constructor(socket) {
    watched.set(socket, this);
    socket.on('close', this.#onClose);
  }

  add(settle) {
    this.#settles.add(settle);
  }

  delete(socket, settle) {
    if (!this.#settles.delete(settle) || this.#settles.size > 0) return;
    watched.delete(socket);
    socket.removeListener('close', this.#onClose);
  }

  #onClose = () => {
    for (const settle of [...this.#settles]) settle();
  };
}

function watch(socket, settle) {
  (watched.get(socket) ?? new SocketListener(socket)).add(settle);
}

function unwatch(socket, settle) {
  watched.get(socket)?.delete(socket, settle);
}

module.exports = { isResponse, noteEnd, onceOver };
