'use strict';

// Helpers of the tests of createAdmission(): servers, clients, and a loop that is busy with other
// work while I/O goes on. closeAll(), after each test, ends all of them.

const { once } = require('node:events');
const http = require('node:http');
const http2 = require('node:http2');
const net = require('node:net');
const { setTimeout: wait } = require('node:timers/promises');

const { createAdmission } = require('uv-scheduler/http');
const { TaskController, scheduler } = require('../..');

// Generous, as the machine may be busy. A test that reaches it fails.
const PATIENCE = 20_000;

// Bounds that no request reaches.
const LONG = 1e6;
const PATIENT = { 'user-blocking': LONG, 'user-visible': LONG, 'background': LONG };

async function until(isSo) {
  const end = Date.now() + PATIENCE;
  while (!isSo()) {
    if (Date.now() > end) throw new Error(`waited in vain until ${isSo}`);
    await wait(1);
  }
}

// A promise with the function that fulfils it.
function deferred() {
  let resolve;
  const promise = new Promise((fulfil) => (resolve = fulfil));
  return { promise, resolve };
}

const ends = new Set();
const open = [];
const sessions = new Set();

// Listens on a port of its own.
async function listen(server) {
  open.push(server);
  server.on('session', (session) => sessions.add(session));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server.address().port;
}

async function closeAll() {
  for (const end of [...ends]) await end();
  for (const session of sessions) session.destroy();
  sessions.clear();
  await Promise.all(open.splice(0).map((server) => new Promise((resolve) => {
    server.close(resolve);
    server.closeAllConnections?.();
  })));
}

// The server's own listener, by default one that answers with the path.
const echoPath = (request, response) => response.end(request.url);

// Starts a server with an admitted listener. Returns the admission and the server, `ask(path)`, and
// in `settled` what the promises of the listener's requests have become. `before(request,
// response)` is called in front of the admission.
async function start(listener = echoPath, given = {}) {
  const { create = http.createServer, before, ...options } = given;
  const admission = createAdmission({ classify, refuseAfter: PATIENT, ...options });
  const settled = [];
  const admitting = admission.handler(listener);
  const server = create((request, response) => {
    before?.(request, response);
    const note = (value) => settled.push(value);
    admitting(request, response).then(note, note);
  });
  const port = await listen(server);
  return { ...admission, server, port, settled, ask: (path, more) => ask(port, path, more) };
}

// An end that closeAll() calls unless the test has.
function endOnce(end) {
  const once = () => ends.delete(once) && end();
  ends.add(once);
  return once;
}

// Keeps tasks that are less important than user-blocking from running until the function that it
// returns is called. Callbacks of I/O and of timers run.
function occupy() {
  const controller = new TaskController({ priority: 'user-blocking' });
  const { signal } = controller;
  // Tasks, as continuations would also come before user-blocking requests.
  const run = async () => {
    for (;;) await scheduler.postTask(() => {}, { signal });
  };
  const task = run().catch(() => {});
  return endOnce(() => {
    controller.abort();
    return task;
  });
}

async function read(stream) {
  let text = '';
  for await (const chunk of stream.setEncoding('utf8')) text += chunk;
  return text;
}

// Resolves to the answer to a request: { status, headers, text }.
function ask(port, path = '/', { body, ...options } = {}) {
  return new Promise((resolve, reject) => {
    const request = http.request({ port, host: '127.0.0.1', path, agent: false, ...options });
    request.on('error', reject);
    request.on('response', (response) => {
      const { statusCode: status, headers } = response;
      read(response).then((text) => resolve({ status, headers, text }), reject);
    });
    request.end(body);
  });
}

// The servers of both versions, each with a function that asks as `ask` does.
const VERSIONS = {
  'HTTP/1': { create: http.createServer, ask },
  'HTTP/2': {
    create: http2.createServer,
    async ask(port, path = '/', { body, ...headers } = {}) {
      const client = http2.connect(`http://127.0.0.1:${port}`);
      const stream = client.request({ ':path': path, ':method': 'GET', ...headers });
      stream.end(body);
      const [{ ':status': status, ...others }] = await once(stream, 'response');
      const text = await read(stream);
      client.destroy();
      return { status, headers: others, text };
    },
  },
};

// A connection that has sent a text, GET by default, and what it has received in `text`.
function connect(port, sent = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n') {
  const socket = net.connect(port, '127.0.0.1').setEncoding('utf8');
  endOnce(() => socket.destroy());
  socket.on('error', () => {});
  socket.text = '';
  socket.on('data', (text) => (socket.text += text));
  if (sent !== '') socket.write(sent);
  return socket;
}

// Requests named after a priority have it.
function classify({ url }) {
  return ['user-blocking', 'user-visible', 'background'].find((each) => url.includes(each));
}

module.exports = {
  LONG, PATIENT, VERSIONS, ask, classify, closeAll, connect, deferred, listen, occupy, start, until,
};
