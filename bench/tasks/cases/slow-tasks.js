'use strict';

// Measures what reportSlowTasks() takes of a server's throughput: the pages a second of an Express
// server with it, and with V8's profiler alone, as a share of those of the same server without. A
// sample asks both in turn, so that what else the machine does meanwhile meets both. A server that
// is not asked stands still, profiler and all.

const path = require('node:path');
const { createChildren } = require('../../../examples/docs-site/children');
const { createProcesses } = require('../../processes');
const { atLeast } = require('../goals.js');

const LOAD = path.join(__dirname, '..', '..', 'ssr', 'load.js');
const SERVER = path.join(__dirname, '..', '..', 'server.js');

const SECONDS = 1.5;
const CLIENTS = 8;
const ORDERS = { '2 ms': 600, 'half a millisecond': 150 };

// In microseconds, as reportSlowTasks() has it.
const INTERVAL = 5000;

const WITHOUT = 'without';
const WATCHES = {
  [WITHOUT]() {},
  // Shows how far two servers that do the same are apart.
  'another server that does the same'() {},
  'reports without stacks': () => require('uv-scheduler').reportSlowTasks(() => {}),
  'with stacks': () => require('uv-scheduler').reportSlowTasks(() => {}, { stacks: true }),
  "V8's profiler alone"() {
    const { Session } = require('node:inspector');
    const session = new Session();
    session.connect();
    session.post('Profiler.enable');
    session.post('Profiler.setSamplingInterval', { interval: INTERVAL });
    session.post('Profiler.start');
  },
};

const ROWS = Object.keys(WATCHES).filter((row) => row !== WITHOUT);

/** Returns a server whose pages are rendered in a task. */
function createContender({ watch, count }) {
  const http = require('node:http');
  const express = require('express');
  const { scheduler } = require('uv-scheduler');
  const { controllerFor } = require('uv-scheduler/http');
  const { createOrders, rowOf } = require('../../frameworks/programs/orders');
  const orders = createOrders(count);
  const render = () => orders.map(rowOf).join('');
  const app = express();
  app.get('/health', (request, response) => response.send('ok\n'));
  app.get('/page', async (request, response) => {
    const { signal } = controllerFor(response);
    response.send(await scheduler.postTask(render, { signal }));
  });
  WATCHES[watch]();
  return http.createServer(app);
}

let children = null;
let load = null;
let startServer = null;
const servers = new Map();

function startLoad() {
  children = createChildren('bench');
  const processes = createProcesses(children.startChild);
  load = processes.start(LOAD, { place: 'load' });
  startServer = processes.startServer;
}

async function throughputOf(watch, count) {
  if (!servers.has(watch)) {
    servers.set(watch, await startServer(SERVER,
      { contenders: __filename, options: { watch, count } }));
  }
  const { url, pid } = servers.get(watch);
  process.kill(pid, 'SIGCONT');
  await load.ask('connect', { url, clients: CLIENTS });
  const { pages, elapsed } = await load.ask('saturate',
    { url, paths: ['/page'], clients: CLIENTS, seconds: SECONDS, limit: 60 });
  process.kill(pid, 'SIGSTOP');
  return pages / elapsed * 1000;
}

let rounds = 0;

async function measure(row, count, { isWarmUp }) {
  if (load === null) startLoad();
  const pages = {};
  for (let round = isWarmUp ? -3 : 0; round <= 0; round++) {
    const both = rounds++ % 2 === 0 ? [WITHOUT, row] : [row, WITHOUT];
    for (const watch of both) pages[watch] = await throughputOf(watch, count);
  }
  return { value: pages[row] / pages[WITHOUT], details: { 'pages/s': pages[row] } };
}

function slowTaskCases() {
  return Object.entries(ORDERS).map(([time, count], i) => ({
    name: `slow-tasks-${i + 1}`,
    title: `throughput of a server with pages of ${time}, compared with one without reports`,
    unit: '×',
    details: { 'pages/s': '' },
    rows: ROWS,
    goals: i === 0 ? [atLeast(0.99, '×', ROWS[1]), atLeast(0.97, '×', ROWS[2])] : [],
    isLong: true,
    maxRounds: Infinity,
    measure: (row, options) => measure(row, count, options),
    // Those that stand still do not end by themselves.
    close: () => children?.finish(),
  }));
}

module.exports = { createContender, slowTaskCases };
