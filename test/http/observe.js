'use strict';

// Servers and clients on the loopback interface for the scenarios here, and what became of the
// controllers of their responses.

const http = require('node:http');
const http2 = require('node:http2');
const net = require('node:net');
const { setTimeout: wait } = require('node:timers/promises');
const { taskController } = require('uv-scheduler/http');

const EVENTS = ['aborted', 'close', 'end', 'error', 'finish'];

// Generous, as the machine may be busy. A scenario that reaches it fails.
const PATIENCE = 10_000;

// Long enough for what should not happen.
const MOMENT = 30;

async function until(isSo) {
  const end = Date.now() + PATIENCE;
  while (!isSo()) {
    if (Date.now() > end) throw new Error(`waited in vain until ${isSo}`);
    await wait(1);
  }
}

// The emitters that a controller may listen to. The socket of an HTTP/2 request is its stream.
function emittersOf(response) {
  const { req } = response;
  return [response, req, response.stream ?? req.socket];
}

function listenersOf(emitters) {
  return emitters.flatMap((emitter, index) => EVENTS.flatMap((name) => {
    return emitter.rawListeners(name).map((listener) => ({ index, name, listener }));
  }));
}

function isIn(list, { index, name, listener }) {
  return list.some((each) => {
    return each.index === index && each.name === name && each.listener === listener;
  });
}

// A controller of a response, and what is known of it.
class Observed {
  #emitters;
  #added;
  aborts = 0;

  constructor(response, options) {
    this.#emitters = emittersOf(response);
    const before = listenersOf(this.#emitters);
    this.controller = taskController(response, options);
    this.#added = listenersOf(this.#emitters).filter((each) => !isIn(before, each));
    const { signal } = this.controller;
    if (signal.aborted) this.aborts++;
    signal.addEventListener('abort', () => this.aborts++);
  }

  get isAborted() {
    return this.controller.signal.aborted;
  }

  // Such as `not aborted, listeners: 3, 0`: how many the call added, and how many of them are left.
  toString() {
    const { reason } = this.controller.signal;
    const how = this.aborts === 0 ? 'not aborted' : `${reason.name} (${reason.cause.code})`;
    const times = this.aborts > 1 ? ` ${this.aborts} times` : '';
    const now = listenersOf(this.#emitters);
    const left = this.#added.filter((each) => isIn(now, each));
    return `${how}${times}, listeners: ${this.#added.length}, ${left.length}`;
  }
}

async function listening(server) {
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return server.address().port;
}

// Starts a server of HTTP/1, calls `use(port, server)` and closes the server.
async function serve(handle, use) {
  const server = http.createServer(handle);
  const port = await listening(server);
  try {
    return await use(port, server);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

// Starts a server of HTTP/2 and calls `use(session)` with a client's session.
async function serve2(handle, use) {
  const server = http2.createServer(handle);
  const port = await listening(server);
  const session = http2.connect(`http://127.0.0.1:${port}`);
  session.on('error', () => {});
  try {
    return await use(session, server);
  } finally {
    session.destroy();
    server.close();
  }
}

// A stream of a client. Errors of one that is cancelled are expected.
function request2(session, headers = {}, body = undefined) {
  const stream = session.request({ ':path': '/', ...headers });
  stream.on('error', () => {});
  if (body !== undefined) stream.end(body);
  return stream;
}

// Asks and reads the whole answer.
async function ask(port, options = {}, body = undefined) {
  return new Promise((resolve, reject) => {
    const request = http.request({ host: '127.0.0.1', port, ...options }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (data) => (text += data));
      response.on('end', () => resolve(text));
    });
    request.on('error', reject);
    request.end(body);
  });
}

// Opens a connection, sends this text, and returns the socket, which its owner destroys. What comes
// back is thrown away, unless `isDeaf`: then nothing is read.
function dial(port, text, { isDeaf = false } = {}) {
  const socket = net.connect({ host: '127.0.0.1', port });
  socket.on('error', () => {});
  if (isDeaf) socket.pause();
  else socket.resume();
  socket.write(text);
  return socket;
}

// The text of a request.
function message(method = 'GET', { path = '/', headers = [], body = '' } = {}) {
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: a', ...headers, '', body];
  return lines.join('\r\n');
}

module.exports = { MOMENT, Observed, ask, dial, message, request2, serve, serve2, until, wait };
