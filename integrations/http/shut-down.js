'use strict';

// shutDown(): ends a server of node:http, https or http2. It takes no new connection, answers what
// is under way, and lets the tasks that matter finish.
//
// Server.close() of Node destroys idle connections at once, which resets a request that is on its
// way. So the listening socket alone is closed first. Each response from then on says that its
// connection closes, and connections that stay idle for a while are closed.

// First, as it refuses a host that cannot be used.
const { drain } = require('../../index.js');
const { clearInterval, clearTimeout, setInterval } = require('node:timers');
const { Server: NetServer } = require('node:net');

const { LONGEST_TIMER, setTimer } = require('../../lib/loop/timers.js');
const { onAbort } = require('../../lib/signals/abort-steps.js');
const { abortReason, isAborted } = require('../../lib/signals/aborted.js');
const webidl = require('../../lib/webidl/conversions.js');

const OPERATION = "'shutDown'";
const SERVER = new webidl.Parameter(OPERATION, 'the argument server');
const OPTIONS = new webidl.Parameter(OPERATION, 'the argument options');
const MEMBERS = {
  priority: webidl.toPriority,
  signal: webidl.toAbortSignal,
  timeout: webidl.toTimeout,
};

// How long an idle connection of HTTP/1 may bring another request, in ms.
const IDLE_CONNECTION = 200;

// Node's names of what a server keeps: the connections of HTTP/1, and the sessions of HTTP/2 since
// Node 24. A server without them closes its connections when they are idle.
const CONNECTIONS = 'http.server.connections';
const SESSIONS = 'sessions';

const kept = (server, name) => {
  const symbol = Object.getOwnPropertySymbols(server).find(({ description }) => {
    return description === name;
  });
  return server[symbol];
};

class Closing {
  #server;
  #interval;
  #end;
  // Fulfils when all connections are closed, or by force().
  closed = new Promise((resolve) => {
    this.#end = resolve;
  });

  constructor(server) {
    this.#server = server;
    server.prependListener('request', this.#onRequest);
    server.on('session', this.#onSession);
    server.once('close', this.#end);
    if (server.listening) NetServer.prototype.close.call(server);
    else this.#end();
    for (const { socket } of kept(server, CONNECTIONS)?.all() ?? []) {
      closeAfter(socket?._httpMessage);
    }
    for (const session of this.#sessions) session.close();
    this.#interval = setInterval(() => server.closeIdleConnections?.(), IDLE_CONNECTION);
  }

  get #sessions() {
    return kept(this.#server, SESSIONS) ?? [];
  }

  #onRequest = (request, response) => {
    if (request.httpVersionMajor === 2) response.stream?.session?.close();
    else closeAfter(response);
  };

  #onSession = (session) => session.close();

  // Closes the connections that are left.
  force() {
    this.#server.closeAllConnections?.();
    for (const session of this.#sessions) session.destroy();
    this.#end();
  }

  stop() {
    clearInterval(this.#interval);
    this.#server.removeListener('request', this.#onRequest);
    this.#server.removeListener('session', this.#onSession);
    this.#server.removeListener('close', this.#end);
  }
}

// Has a response of HTTP/1 say that its connection closes, if it has not begun.
function closeAfter(response) {
  if (response !== null && response !== undefined && !response.headersSent) {
    response.shouldKeepAlive = false;
  }
}

// Fulfils with what drain() counts.
async function shutDown(server, options = undefined) {
  if (!isServer(server)) throw SERVER.error('a server of node:http, https or http2', server);
  const settings = webidl.readOptions(options, OPTIONS, MEMBERS);
  const { signal, timeout = Infinity } = settings;
  if (signal !== undefined && isAborted(signal)) throw abortReason(signal);
  const closing = new Closing(server);
  const timer = timeout > LONGEST_TIMER ? undefined : setTimer(() => closing.force(), timeout);
  let subscription;
  const aborted = new Promise((resolve, reject) => {
    if (signal !== undefined) subscription = onAbort(signal, reject);
  });
  try {
    const [counts] = await Promise.race([
      Promise.all([drain({ __proto__: null, ...settings }), closing.closed]),
      aborted,
    ]);
    return counts;
  } finally {
    subscription?.end();
    clearTimeout(timer);
    closing.stop();
  }
}

function isServer(value) {
  return value instanceof NetServer && typeof value.setTimeout === 'function';
}

module.exports = { shutDown };
