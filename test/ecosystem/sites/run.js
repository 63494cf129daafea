'use strict';

// A site as a process: `node --expose-gc run.js <framework>`, forked. It sends its port and its
// pages, and what has become of it whenever it gets a message { few }, or without `few` its
// memory. It ends on SIGTERM, and prints the same once more.

const { once } = require('node:events');
const { subscribe } = require('node:diagnostics_channel');
const fs = require('node:fs');
const { setTimeout: sleep } = require('node:timers/promises');
const { monitorTasks, reportSlowTasks } = require('uv-scheduler');
const { shutDown } = require('uv-scheduler/http');
const { collectTaskMetrics } = require('uv-scheduler/prometheus');
const sites = require('./index.js');
const site = require('./site.js');

const PATIENCE = 20_000;
const DRAIN_TIMEOUT = 5_000;

const unhandled = [];
for (const event of ['uncaughtException', 'unhandledRejection', 'warning']) {
  process.on(event, (error) => unhandled.push(`${event}: ${error?.stack ?? error}`));
}

// The requests that were not collected yet.
let alive = 0;
const registry = new FinalizationRegistry(() => alive--);

collectTaskMetrics();
monitorTasks({ window: 1000 }).enable();
reportSlowTasks((report) => {
  if (report.type === 'duration') return;
  const [{ label }] = report.waitedFor;
  if (typeof label !== 'string') unhandled.push('a report without a label');
}, { duration: 50, wait: 50 });

// The counts and faults of the site so far.
function read() {
  const { admission, arrived, faults, orders } = site;
  const counts = Object.entries(admission.counts()).map(([priority, each]) => {
    const { admitted, refused, left, withdrawn, queued, running } = each;
    const sum = Object.values(refused).reduce((a, b) => a + b, admitted + left + withdrawn);
    const lost = arrived[priority] - sum - queued;
    return { priority, admitted, refused, left, withdrawn, queued, running, lost };
  });
  return { counts, orders, faults, unhandled };
}

function readMemory() {
  global.gc();
  const { heapUsed, external } = process.memoryUsage();
  return { memory: heapUsed + external };
}

function isQuiet() {
  const { counts, orders } = read();
  return orders.taken === orders.kept && counts.every((each) => each.queued + each.running === 0);
}

// Returns at the latest when it has waited in vain: what is measured then shows it.
async function until(isSo) {
  for (const end = performance.now() + PATIENCE; performance.now() < end && !isSo();) {
    await sleep(10, undefined, { ref: false });
  }
}

// Node 20 never closes those of sessions of HTTP/2 that have failed.
const KEEPS_SOCKETS = process.version.startsWith('v20.');

// Starts a site, and answers the messages of its test.
async function run({ start, pages = site.PAGES, protocol = 'http1' }) {
  const server = start();
  const sockets = new Set();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  const destroySockets = () => {
    for (const socket of sockets) socket.destroy();
  };
  for (const event of ['request', 'checkContinue']) {
    if (server.listenerCount(event) === 0) continue;
    server.on(event, (request) => {
      alive++;
      registry.register(request);
    });
  }

  function resourcesNow() {
    if (KEEPS_SOCKETS && protocol === 'http2') destroySockets();
    return process.getActiveResourcesInfo().sort().join();
  }

  // The counts, resources and memory of the idle site, once so few requests are in memory.
  async function measure(few) {
    await until(() => resourcesNow() === usual && isQuiet());
    const resources = resourcesNow();
    let heap = Infinity;
    let rounds = 0;
    await until(() => {
      global.gc();
      heap = Math.min(heap, process.memoryUsage().heapUsed);
      return ++rounds >= 5 && alive <= few;
    });
    return { ...read(), heap, alive, resources, usual };
  }

  async function end() {
    await shutDown(server, { timeout: DRAIN_TIMEOUT });
    const { counts } = read();
    const late = [];
    // Code that has outlived its request may go on: no task runs it.
    subscribe('tracing:uv-scheduler:task:start', ({ label, isContinuation }) => {
      if (!isContinuation) late.push(label);
    });
    destroySockets();
    process.disconnect();
    process.on('exit', () => {
      const last = read();
      const admittedLate = last.counts.filter((each, i) => each.admitted > counts[i].admitted);
      fs.writeSync(1, JSON.stringify({ ...last, late, admittedLate }));
    });
  }

  process.on('message', async ({ few }) => {
    process.send(few === undefined ? readMemory() : await measure(few));
  });
  process.once('SIGTERM', end);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // The first to ask for one of these opens a pipe.
  void [process.stdout, process.stderr];
  await sleep(10, undefined, { ref: false });
  const usual = resourcesNow();
  process.send({ port: server.address().port, protocol, pages });
}

run(sites[process.argv[2]]).catch((error) => {
  console.error(error);
  process.exit(1);
});
