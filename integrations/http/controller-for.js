'use strict';

// controllerFor(): the TaskController of a request, which is aborted when its client leaves, and
// whose priority ends with the response. Recognizes responses only by their shape, and so loads
// neither node:http nor node:http2.
//
// A response that closes before end() is aborted, by `writableEnded` only: HTTP/2 marks a cancelled
// response as finished, and the request of a POST closes when its body was read.

// Loaded first, as it throws in an unsupported host.
const api = require('../../index.js');
const { queueMicrotask } = require('../../lib/loop/platform.js');
const { withCode } = require('../../lib/webidl/error-code.js');
const webidl = require('../../lib/webidl/conversions.js');

const { TaskController } = api;
const { Flow, flowOfRequest, joinFlow } = api[Symbol.for('uv-scheduler.requests')];
const { onAbort } = api[Symbol.for('uv-scheduler.requests')];

const OPERATION = "'controllerFor'";
const SOURCE = new webidl.Parameter(OPERATION, 'the argument responseOrSignal');
const OPTIONS = new webidl.Parameter(OPERATION, 'the argument options');
const MEMBERS = {
  fairnessKey: webidl.toFairnessKey,
  fairnessWeight: webidl.toFairnessWeight,
  priority: webidl.toPriority,
};

const EXPECTED = 'a response of node:http or node:http2, or an AbortSignal';

// The record of a request: one for each response or signal, however often it is named.
class Known {
  // The Flow and the controller of the request.
  flow;
  controller;
  // The options that calls of controllerFor() have given.
  given = {};
  // Whether its end is awaited, and has come; and the functions to call then.
  #isFollowed = false;
  #isOver = false;
  #settled = [];

  // `flow` is given if the signal belongs to an admitted request.
  constructor({ fairnessKey, fairnessWeight, priority }, flow = undefined) {
    this.flow = flow ?? new Flow(fairnessKey, fairnessWeight);
    if (flow === undefined) this.flow.watch();
    this.controller = new TaskController({ __proto__: null, priority });
    joinFlow(this.controller.signal, this.flow);
  }

  // Sets what is given.
  change({ fairnessKey, fairnessWeight, priority }) {
    if (priority !== undefined) this.controller.setPriority(priority);
    if (fairnessKey !== undefined || fairnessWeight !== undefined) {
      this.flow.setKey(fairnessKey, fairnessWeight);
    }
  }

  // Calls `settled`, if given, when the response has finished or closed.
  follow(response, settled) {
    if (settled !== undefined && !this.#isOver) this.#settled.push(settled);
    if (this.#isOver) settled?.();
    else if (!this.#isFollowed) follow(response, this);
    this.#isFollowed = true;
  }

  // The response has finished or closed. Further work is not part of the request any more: timers,
  // sockets and pools that the request was the first to create, and work that is not awaited.
  end(hasFinished) {
    if (!hasFinished) this.controller.abort(reasonOfClosed());
    this.flow.end(hasFinished);
    setDefaultPriority(this.controller);
    this.#isOver = true;
    for (const settled of this.#settled.splice(0)) settled();
  }
}

// By response or signal. One table for all, as tables of weak references are slow to collect.
const requests = new WeakMap();

// The responses to requests that an admission has refused without a controller.
const refused = new WeakSet();

function controllerFor(responseOrSignal, options = undefined) {
  const isSignal = webidl.isAbortSignal(responseOrSignal);
  if (!isSignal && !isResponse(responseOrSignal)) throw SOURCE.error(EXPECTED, responseOrSignal);
  const members = webidl.readOptions(options, OPTIONS, MEMBERS);
  let known = requests.get(responseOrSignal);
  if (known === undefined) {
    const { fairnessKey = members.fairnessWeight } = members;
    const flow = isSignal && fairnessKey === undefined ? flowOfRequest() : undefined;
    known = new Known(members, flow);
    requests.set(responseOrSignal, known);
    begin(responseOrSignal, known, flow === undefined);
  } else {
    known.change(members);
  }
  Object.assign(known.given, definedOf(members));
  return known.controller;
}

function begin(responseOrSignal, known, hasOwnFlow) {
  if (webidl.isAbortSignal(responseOrSignal)) {
    if (hasOwnFlow) known.flow.endWhenIdle();
    onAbort(responseOrSignal, (reason) => {
      known.controller.abort(reason);
      if (hasOwnFlow) known.flow.end(false);
    });
  } else if (refused.has(responseOrSignal)) {
    known.controller.abort();
  } else {
    known.follow(responseOrSignal);
  }
}

const definedOf = (members) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

// Sockets (of an upgrade or CONNECT) and HTTP/2 streams have no `req`, requests no `writableEnded`.
function isResponse(value) {
  if (!webidl.isObject(value) || typeof value.writableEnded !== 'boolean') return false;
  return isEmitter(value) && isEmitter(value.req);
}

function isEmitter(value) {
  return webidl.isObject(value) && typeof value.on === 'function';
}

// The controller of a request that an admission gets. It has the priority, the key and the weight
// of the members, unless an earlier call of controllerFor() set them.
function adopt(response, members) {
  let known = requests.get(response);
  if (known === undefined) {
    known = new Known(members);
    requests.set(response, known);
  } else {
    known.change({ ...members, ...known.given });
  }
  return known.controller;
}

// An admission refuses the request.
function refuse(response) {
  requests.get(response)?.controller.abort();
  refused.add(response);
}

// Calls `settled` when a response whose controller was adopted has finished or closed.
function followResponse(response, settled = undefined) {
  requests.get(response).follow(response, settled);
}

function follow(response, known) {
  const end = () => {
    known.end(response.writableEnded);
    // Later calls still see that the request was aborted. Otherwise nothing is kept.
    if (!known.controller.signal.aborted) requests.delete(response);
  };
  if (response.writableEnded || isGone(response)) {
    end();
    return;
  }
  const { req: request } = response;
  const stream = streamOf(response);
  // A response of HTTP/2 to a HEAD request emits nothing if it is cancelled; its stream does.
  const closing = stream ?? response;
  const queuedOn = stream === undefined ? socketAhead(response) : undefined;
  const settle = () => {
    closing.removeListener('close', settle);
    response.removeListener('finish', settle);
    request.removeListener('aborted', settle);
    if (queuedOn !== undefined) unwatch(queuedOn, settle);
    end();
  };
  closing.on('close', settle);
  // Frameworks' mocks of a response may finish without closing.
  response.on('finish', settle);
  request.on('aborted', settle);
  if (queuedOn !== undefined) watch(queuedOn, settle);
}

// Gives a controller the default priority.
function setDefaultPriority(controller) {
  try {
    controller.setPriority('user-visible');
  } catch (error) {
    if (error?.name !== 'NotAllowedError') throw error;
    // Called from a listener of a priority change under way.
    queueMicrotask(() => setDefaultPriority(controller));
  }
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

function reasonOfClosed() {
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

module.exports = {
  adopt, controllerFor, followResponse, isResponse, refuse, setDefaultPriority,
};
