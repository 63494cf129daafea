'use strict';

// Helpers of the tests of createAdmission(): servers, clients, and a loop that is busy with more
// important work while I/O goes on.

const { EventEmitter, once } = require('node:events');
const http = require('node:http');
const { setTimeout: wait } = require('node:timers/promises');

const { TaskController, scheduler } = require('../..');

// Generous, as the machine may be busy. A test that reaches it fails.
const PATIENCE = 20_000;

async function until(isSo) {
  const end = Date.now() + PATIENCE;
  while (!isSo()) {
    if (Date.now() > end) throw new Error(`waited in vain until ${isSo}`);
    await wait(1);
  }
}

const open = [];
const sessions = new Set();

// Listens on a port of its own. closeAll() closes all such servers.
async function listen(server) {
  open.push(server);
  server.on('session', (session) => sessions.add(session));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server.address().port;
}

async function closeAll() {
  for (const session of sessions) session.destroy();
  sessions.clear();
  await Promise.all(open.splice(0).map((server) => new Promise((resolve) => {
    server.close(resolve);
    server.closeAllConnections?.();
  })));
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
  return () => {
    controller.abort();
    return task;
  };
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

// Requests named after a priority have it.
function classify({ url }) {
  return ['user-blocking', 'user-visible', 'background'].find((each) => url.includes(each));
}

// A response without a connection, to a request with these members.
class FakeResponse extends EventEmitter {
  headersSent = false;
  writableEnded = false;
  req = Object.assign(new EventEmitter(), { headers: {}, complete: true, httpVersionMajor: 1 });

  constructor(request) {
    super();
    Object.assign(this.req, request);
  }

  end() {
    this.writableEnded = true;
    this.emit('finish');
  }
}

module.exports = { FakeResponse, ask, classify, closeAll, listen, occupy, until };
