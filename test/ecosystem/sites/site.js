'use strict';

// A site as a process: `node --expose-gc site.js http1|http2`, forked. It has the lines that a user
// copies from README.md and docs/, and pages that stream, read a body and throw. It sends its port,
// and what has become of it whenever it gets a message { few }, or without `few` its memory. It
// ends on SIGTERM, and prints the same once more.

const { subscribe } = require('node:diagnostics_channel');
const { once } = require('node:events');
const fs = require('node:fs');
const http = require('node:http');
const http2 = require('node:http2');
const { json } = require('node:stream/consumers');
const { setTimeout: sleep } = require('node:timers/promises');
const { currentTaskSignal, pieces, scheduler } = require('uv-scheduler');
const { controllerFor, createAdmission, shutDown } = require('uv-scheduler/http');

const PATIENCE = 20_000;
const DRAIN_TIMEOUT = 5_000;
const ROWS = 150;
const ROW = 'a row '.repeat(80);

// The requests that the admission was asked for, by priority; and the orders that were taken, and
// those that were kept.
const arrived = { 'user-blocking': 0, 'user-visible': 0, 'background': 0 };
const orders = { taken: 0, kept: 0 };

// The errors that the site takes for faults of its own.
const faults = [];
for (const event of ['uncaughtException', 'unhandledRejection', 'warning']) {
  process.on(event, (error) => faults.push(`${event}: ${error?.stack ?? error}`));
}

const admission = createAdmission({
  classify(request) {
    const priority = request.url.startsWith('/orders') ? 'user-blocking' : 'user-visible';
    arrived[priority]++;
    return priority;
  },
  refuseAfter: { 'user-visible': 250 },
});

const BROKEN = new Error('this page is broken');

function* chunks() {
  for (let row = 0; row < ROWS; row++) yield `<p>${row} ${ROW}</p>\n`;
  yield '<p>The end</p>';
}

async function writePage(response) {
  const { signal } = controllerFor(response);
  for await (const row of pieces(chunks(), { signal: currentTaskSignal() })) {
    if (!response.write(row)) await once(response, 'drain', { signal });
  }
  response.end();
}

// Keeps an order, also when its visitor has left.
async function keep() {
  for (let step = 0; step < 5; step++) await scheduler.yield();
  await sleep(1);
  orders.kept++;
}

async function takeOrder(body) {
  orders.taken++;
  scheduler.postTask(keep);
  await scheduler.yield({ signal: currentTaskSignal() });
  return `The order has ${Object.keys(body ?? {}).length} members`;
}

async function answer(request, response) {
  switch (new URL(request.url, 'http://localhost').pathname) {
    case '/page': return writePage(response);
    case '/orders': return response.end(await takeOrder(await json(request)));
    case '/broken': return scheduler.postTask(() => Promise.reject(BROKEN));
    default: return response.writeHead(404).end();
  }
}

// An error that a listener does not catch ends the process, but for the abort of its client. One
// that comes when a response is over is no fault of the site: its visitor has left.
async function listener(request, response) {
  try {
    await answer(request, response);
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    const isOfClient = error instanceof SyntaxError || error.code === 'ERR_INVALID_URL';
    if (isOfClient) response.writeHead(400).end();
    else if (!controllerFor(response).signal.aborted && !response.destroyed) {
      if (error !== BROKEN) faults.push(error?.stack ?? String(error));
      response.destroy();
    }
  }
}

// The counts and faults of the site so far.
function read() {
  const counts = Object.entries(admission.counts()).map(([priority, each]) => {
    const { admitted, refused, left, withdrawn, queued, running } = each;
    const sum = Object.values(refused).reduce((a, b) => a + b, admitted + left + withdrawn);
    const lost = arrived[priority] - sum - queued;
    return { priority, admitted, refused, left, withdrawn, queued, running, lost };
  });
  return { counts, orders, faults };
}

function readMemory() {
  global.gc();
  const { heapUsed, external } = process.memoryUsage();
  return { memory: heapUsed + external };
}

function isQuiet() {
  const { counts } = read();
  return orders.taken === orders.kept && counts.every((each) => each.queued + each.running === 0);
}

// Returns at the latest when it has waited in vain: what is measured then shows it.
async function until(isSo) {
  for (const end = performance.now() + PATIENCE; performance.now() < end && !isSo();) {
    await sleep(10, undefined, { ref: false });
  }
}

async function main(protocol) {
  const handler = admission.handler(listener);
  const server = { http1: http, http2 }[protocol].createServer(handler);
  server.on('checkContinue', handler);

  const sockets = new Set();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  const destroySockets = () => sockets.forEach((socket) => socket.destroy());
  // Node 20 never closes those of sessions of HTTP/2 that have failed.
  const keepsSockets = process.version.startsWith('v20.') && protocol === 'http2';
  const readResources = () => {
    if (keepsSockets) destroySockets();
    return process.getActiveResourcesInfo().sort().join();
  };

  // The requests that were not collected yet.
  let alive = 0;
  const registry = new FinalizationRegistry(() => alive--);
  for (const event of ['request', 'checkContinue']) {
    server.on(event, (request) => {
      alive++;
      registry.register(request);
    });
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // The first to ask for one of these opens a pipe.
  void [process.stdout, process.stderr];
  await sleep(10, undefined, { ref: false });

  // The counts, resources and memory of the idle site, once so few requests are in memory.
  async function measure(few) {
    await until(() => readResources() === usual && isQuiet());
    const resources = readResources();
    let heap = Infinity;
    let rounds = 0;
    await until(() => {
      global.gc();
      heap = Math.min(heap, process.memoryUsage().heapUsed);
      return ++rounds >= 5 && alive <= few;
    });
    return { ...read(), heap, alive, resources, usual };
  }

  process.on('message', async ({ few }) => {
    process.send(few === undefined ? readMemory() : await measure(few));
  });
  process.once('SIGTERM', async () => {
    const begin = performance.now();
    await shutDown(server, { timeout: DRAIN_TIMEOUT });
    const isInTime = performance.now() - begin < DRAIN_TIMEOUT + PATIENCE / 2;
    const { counts } = read();
    const late = [];
    // Code that has outlived its request may go on: no task runs it.
    subscribe('tracing:uv-scheduler:task:start', ({ label, isContinuation }) => {
      if (!isContinuation) late.push(label);
    });
    destroySockets();
    process.disconnect();
    process.on('exit', () => {
      const end = read();
      const admittedLate = end.counts.filter((each, i) => each.admitted > counts[i].admitted);
      fs.writeSync(1, JSON.stringify({ ...end, isInTime, late, admittedLate }));
    });
  });
  const usual = readResources();
  process.send({ port: server.address().port });
}

main(process.argv[2]);
