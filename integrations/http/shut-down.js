'use strict';

// shutDown(): shuts down a server of node:http, https or http2. Accepts no new connection, behind
// the option `delay`, answers the requests under way, and lets important tasks finish.
//
// Node's Server.close() destroys idle connections immediately, which resets a request that is on
// its way. So only the listening socket is closed first. Each response from then on has the header
// that closes its connection, and connections that stay idle for a while are closed. A session of
// HTTP/2 ends in the same way: close() sends a GOAWAY frame, after which Node refuses new streams,
// so it is called at the next request, or after a while.

// Loaded first, as it throws in an unsupported host.
const {
  abortReason,
  isAborted,
  onAbort,
  platform,
  time,
  undocumented,
  webidl,
} = require('../internal.js');
const api = require('../../index.js');
const { Server: NetServer } = require('node:net');

const { ENDING, readiness } = require('../health/readiness.js');
const { allSessions, followSession, silentSockets } = require('./connections.js');

const { foreignName } = platform;
const { LONGEST_TIMER, clearTimer, setRepeated, setTimer } = time;
const { responsesUnderWay } = undocumented;

const { drain } = api;

const OPERATION = "'shutDown'";
const SERVER = new webidl.Parameter(OPERATION, 'the argument server');
const OPTIONS = new webidl.Parameter(OPERATION, 'the argument options');
const MEMBERS = {
  delay: webidl.toDelay,
  keep: webidl.toPriority,
  signal: webidl.toAbortSignal,
  timeout: webidl.toTimeout,
};

// The interval in ms at which idle connections are closed.
const IDLE_CONNECTION = 200;

// After this time in ms, connections that have sent nothing are closed. Browsers open such spare
// connections, and their first request may be on its way.
const SILENT_CONNECTION = 1000;

class Closing {
  #server;
  #endLooks;
  #timer;
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
    if (server.listening) stopListening(server);
    else this.#endIfUnused();
    for (const response of responsesUnderWay(server)) closeAfter(response);
    this.#endLooks = setRepeated(() => this.#closeIdle(), IDLE_CONNECTION);
    this.#timer = setTimer(() => this.#closeSilent(), SILENT_CONNECTION);
  }

  // A server that was closed before, as by another call, can still have connections.
  #endIfUnused() {
    this.#server.getConnections((error, count) => {
      if (error || count === 0) this.#end();
    });
  }

  #onRequest = (request, response) => {
    const session = response.stream?.session;
    if (request.httpVersionMajor !== 2) {
      closeAfter(response);
    } else if (session) {
      followSession(this.#server, session);
      session.close();
    }
  };

  #onSession = (session) => followSession(this.#server, session);

  // A session counts as idle from the start, and from Node 26 on so do connections that have sent
  // nothing. These have more time.
  #closeIdle() {
    if (silentSockets(this.#server).length > 0) return;
    this.#server.closeIdleConnections?.();
    for (const session of allSessions(this.#server)) session.close();
  }

  #closeSilent() {
    for (const socket of silentSockets(this.#server)) socket.destroy();
  }

  // Closes the remaining connections.
  force() {
    this.#server.closeAllConnections?.();
    for (const session of allSessions(this.#server)) session.destroy();
    this.#closeSilent();
    this.#end();
  }

  stop() {
    this.#endLooks();
    clearTimer(this.#timer);
    this.#server.removeListener('request', this.#onRequest);
    this.#server.removeListener('session', this.#onSession);
    this.#server.removeListener('close', this.#end);
  }
}

// Closes the listening socket. The servers of Bun and Deno have only the method that also closes
// idle connections.
function stopListening(server) {
  if (foreignName === undefined) NetServer.prototype.close.call(server);
  else server.close();
}

// Makes a response of HTTP/1 close its connection, if the response has not begun.
function closeAfter(response) {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}

// Fulfils with the counts of drain(). A load balancer learns late that a server ends: for the time
// of `delay` the server goes on.
async function shutDown(server, options = undefined) {
  if (!isServer(server)) throw SERVER.error('a server of node:http, https or http2', server);
  const { delay = 0, ...settings } = webidl.readOptions(options, OPTIONS, MEMBERS);
  const { signal, timeout = Infinity } = settings;
  if (signal !== undefined && isAborted(signal)) throw abortReason(signal);
  readiness.change(ENDING);
  let closing;
  let timer;
  let subscription;
  const aborted = new Promise((resolve, reject) => {
    if (signal !== undefined) subscription = onAbort(signal, reject);
  });
  try {
    if (delay > 0 && server.listening) {
      const isOver = new Promise((resolve) => (timer = setTimer(resolve, delay)));
      await Promise.race([isOver, aborted]);
    }
    closing = new Closing(server);
    timer = timeout > LONGEST_TIMER ? undefined : setTimer(() => closing.force(), timeout);
    const [counts] = await Promise.race([
      Promise.all([drain({ __proto__: null, ...settings }), closing.closed]),
      aborted,
    ]);
    return counts;
  } finally {
    subscription?.end();
    clearTimer(timer);
    closing?.stop();
  }
}

function isServer(value) {
  const isKnown = value instanceof NetServer || isForeignServer(value);
  return isKnown && typeof value.setTimeout === 'function';
}

// In Bun and Deno not all servers of node:http and node:https are servers of node:net.
function isForeignServer(value) {
  return value instanceof require('node:http').Server;
}

module.exports = { shutDown };
