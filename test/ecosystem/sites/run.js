'use strict';

// A site as a process: `node --expose-gc run.js <framework>`, forked. It sends its port and its
// pages. Whenever it gets a message { isIdle }, it sends its memory, and of a site that is to be
// idle what is wrong with it. It ends on SIGTERM, and prints what is wrong then.

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

// Of a thousand requests so many may still be in memory: Node keeps the last ones of its parsers,
// and with one of them all that came on its connection.
const FEW = 100;

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

// The faults of the site, unless the site is at work.
function complaintsNow() {
  const { admission, arrived, faults, orders } = site;
  const found = [...faults, ...unhandled];
  if (orders.kept !== orders.taken) found.push(`orders: ${JSON.stringify(orders)}`);
  for (const [priority, each] of Object.entries(admission.counts())) {
    const { admitted, refused, left, withdrawn, queued, running } = each;
    const sum = Object.values(refused).reduce((a, b) => a + b, admitted + left + withdrawn);
    if (queued + running === 0 && sum === arrived[priority]) continue;
    found.push(`${priority}: ${JSON.stringify({ ...each, arrived: arrived[priority] })}`);
  }
  return found;
}

function readMemory() {
  global.gc();
  const { heapUsed, external } = process.memoryUsage();
  return { memory: heapUsed + external };
}

const isQuiet = () => complaintsNow().length === site.faults.length + unhandled.length;

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

  // The heap of the idle site, and what is wrong with it, once few requests are in memory.
  async function measure() {
    await until(() => resourcesNow() === usual && isQuiet());
    const complaints = complaintsNow();
    const resources = resourcesNow();
    if (resources !== usual) complaints.push(`resources: ${resources}, not ${usual}`);
    let heap = Infinity;
    let rounds = 0;
    await until(() => {
      global.gc();
      heap = Math.min(heap, process.memoryUsage().heapUsed);
      return ++rounds >= 5 && alive <= FEW;
    });
    if (alive > FEW) complaints.push(`${alive} requests are still in memory`);
    return { complaints, heap };
  }

  async function end() {
    await shutDown(server, { timeout: DRAIN_TIMEOUT });
    const countAdmitted = () =>
      Object.values(site.admission.counts()).map(({ admitted }) => admitted);
    const before = `${countAdmitted()}`;
    const late = [];
    // Code that has outlived its request may go on: no task runs it.
    subscribe('tracing:uv-scheduler:task:start', ({ label, isContinuation }) => {
      if (!isContinuation) late.push(label);
    });
    destroySockets();
    process.disconnect();
    process.on('exit', () => {
      if (`${countAdmitted()}` !== before) late.push('a request');
      const ofDrain = late.map((label) => `after drain(): ${label}`);
      fs.writeSync(1, JSON.stringify([...complaintsNow(), ...ofDrain]));
    });
  }

  process.on('message', async ({ isIdle }) => {
    process.send(isIdle ? await measure() : readMemory());
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
