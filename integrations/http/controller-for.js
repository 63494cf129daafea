'use strict';

// controllerFor(): the TaskController of a request, which is aborted when its client leaves, and
// whose priority ends with the response. Recognizes responses only by their shape, and so loads
// neither node:http nor node:http2.
//
// A response that closes before end() is aborted, by `writableEnded` only: HTTP/2 marks a cancelled
// response as finished, and the request of a POST closes when its body was read.

// Loaded first, as it throws in an unsupported host.
const api = require('../../index.js');
const { onAbort } = require('../../lib/signals/abort-steps.js');
const { queueMicrotask } = require('../../lib/loop/platform.js');
const { withCode } = require('../../lib/webidl/error-code.js');
const webidl = require('../../lib/webidl/conversions.js');

const { TaskController } = api;
const { Flow, joinFlow } = api[Symbol.for('uv-scheduler.requests')];

const OPERATION = "'controllerFor'";
const SOURCE = new webidl.Parameter(OPERATION, 'the argument responseOrSignal');
const OPTIONS = new webidl.Parameter(OPERATION, 'the argument options');
const MEMBERS = {
  fairnessKey: webidl.toFairnessKey,
  fairnessWeight: webidl.toFairnessWeight,
  priority: webidl.toPriority,
};

const EXPECTED = 'a response of node:http or node:http2, or an AbortSignal';

// The record of a request.
class Known {
  // The Flow of the request, shared by all controllers of a response.
  flow;
  // The controller, if an admission has the request.
  own = undefined;
  // The first controller of the response, until the response has ended, and its options. If an
  // admission gets the request later, this becomes the controller of the request.
  first = undefined;
  members = undefined;

  constructor({ fairnessKey, fairnessWeight }) {
    this.flow = new Flow(fairnessKey, fairnessWeight);
    // For the request of a signal, there is no event at its end.
    this.flow.watch();
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
  const known = know(responseOrSignal, members);
  if (known.own !== undefined) {
    if (members.priority !== undefined) known.own.setPriority(members.priority);
    return known.own;
  }
  const controller = create(known, members);
  if (isSignal) {
    onAbort(responseOrSignal, (reason) => {
      controller.abort(reason);
      known.flow.end(false);
    });
  } else if (refused.has(responseOrSignal)) {
    known.own = controller;
    controller.abort();
  } else {
    if (known.first === undefined) Object.assign(known, { first: controller, members });
    follow(responseOrSignal, known, controller, undefined);
  }
  return controller;
}

// A controller for a request. `members` are options of controllerFor().
function create({ flow }, { priority }) {
  const controller = new TaskController({ __proto__: null, priority });
  joinFlow(controller.signal, flow);
  return controller;
}

// The record of a request. Sets the key and the weight, if given.
function know(responseOrSignal, members) {
  let known = requests.get(responseOrSignal);
  if (known === undefined) {
    known = new Known(members);
    requests.set(responseOrSignal, known);
  } else if (members.fairnessKey !== undefined || members.fairnessWeight !== undefined) {
    known.flow.setKey(members.fairnessKey, members.fairnessWeight);
  }
  return known;
}

// Sockets (of an upgrade or CONNECT) and HTTP/2 streams have no `req`, requests no `writableEnded`.
function isResponse(value) {
  if (!webidl.isObject(value) || typeof value.writableEnded !== 'boolean') return false;
  return isEmitter(value) && isEmitter(value.req);
}

function isEmitter(value) {
  return webidl.isObject(value) && typeof value.on === 'function';
}

// Sets the controller that controllerFor() returns for a response from now on. It has the priority,
// the key and the weight of the members, unless an earlier call of controllerFor() set them.
function adopt(response, members) {
  const given = requests.get(response)?.members;
  const merged = { ...members, ...given };
  // The weight of the members is that of their own key.
  const isOwnKey = merged.fairnessKey === members.fairnessKey;
  const known = know(response, isOwnKey ? merged : { fairnessWeight: undefined, ...given });
  if (known.first !== undefined && given.priority === undefined) {
    known.first.setPriority(members.priority);
  }
  known.own = known.first ?? create(known, members);
  return known.own;
}

// An admission refuses the request.
function refuse(response) {
  requests.get(response)?.first?.abort();
  refused.add(response);
}

// Calls `settled` when a response whose controller was adopted has finished or closed.
function followResponse(response, controller, settled) {
  follow(response, requests.get(response), controller, settled);
}

function follow(response, known, controller, settled) {
  const forget = () => {
    if (known.first === controller) Object.assign(known, { first: undefined, members: undefined });
    settled?.();
  };
  if (response.writableEnded) {
    known.flow.end(true);
    forget();
    return;
  }
  if (isGone(response)) {
    controller.abort(reasonOfClosed());
    known.flow.end(false);
    setDefaultPriority(controller);
    forget();
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
    if (!response.writableEnded) controller.abort(reasonOfClosed());
    known.flow.end(response.writableEnded);
    // Further work is not part of the request any more: timers, sockets and pools that the request
    // was the first to create, and work that is not awaited.
    setDefaultPriority(controller);
    forget();
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
