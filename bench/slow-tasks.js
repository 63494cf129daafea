'use strict';

// What reportSlowTasks() takes of a server's throughput: `node bench/slow-tasks.js` prints the
// pages a second of an Express server with it, with its stacks and with V8's profiler alone, each
// as a share of those of the same server without. They are asked in turns, so that what else the
// machine does meanwhile meets each. A server that is not asked stands still, profiler and all.

const { createRequire } = require('node:module');
const path = require('node:path');
const { quantile } = require('simple-statistics');
const { createChildren } = require('../examples/docs-site/children');
const frameworks = require('../scripts/setup/frameworks');
const { bound, chooseProcessors } = require('./processors');

const PROGRAMS = path.join(__dirname, 'frameworks', 'programs');
const LOAD = path.join(__dirname, 'ssr', 'load.js');

const WARM_UP = 3;
const ROUNDS = 15;
const SECONDS = 1.5;
const CLIENTS = 8;
const ORDERS = 600;
const AT_LEAST = { reports: 0.99, stacks: 0.97 };

// In microseconds, as reportSlowTasks() has it.
const INTERVAL = 5000;

const WATCHES = {
  nothing() {},
  // Shows how far two servers that do the same are apart.
  nothingElse() {},
  reports: () => require('uv-scheduler').reportSlowTasks({}, () => {}),
  stacks: () => require('uv-scheduler').reportSlowTasks({ stacks: true }, () => {}),
  profiler() {
    const { Session } = require('node:inspector');
    const session = new Session();
    session.connect();
    session.post('Profiler.enable');
    session.post('Profiler.setSamplingInterval', { interval: INTERVAL });
    session.post('Profiler.start');
  },
};

// A page of about two milliseconds, in a task.
function serve(watch) {
  const { scheduler } = require('uv-scheduler');
  const { controllerFor } = require('uv-scheduler/http');
  const express = createRequire(path.join(PROGRAMS, 'package.json'))('express');
  const { createOrders, rowOf } = require('./frameworks/programs/orders');
  const { announce } = require('./frameworks/programs/serve');

  const orders = createOrders(ORDERS);
  const render = () => orders.map(rowOf).join('');
  const app = express();
  app.get('/health', (request, response) => response.send('ok\n'));
  app.get('/page', async (request, response) => {
    const { signal } = controllerFor(response);
    response.send(await scheduler.postTask(render, { signal }));
  });
  WATCHES[watch]();
  const server = app.listen(0, '127.0.0.1', () => announce(server));
}

async function measure() {
  frameworks.prepare();
  const { startChild, finish } = createChildren('bench/slow-tasks.js');
  const processors = chooseProcessors();
  const start = (file, args, place) => {
    const [program, rest] = bound(place, process.execPath, process.execArgv);
    return startChild(file, args, rest, program);
  };
  const load = start(LOAD, [], processors.load);
  const ask = async (message) => (await load.ask(message)).result;
  const servers = [];
  for (const watch of Object.keys(WATCHES)) {
    const child = start(__filename, [watch], processors.one);
    servers.push({ watch, url: (await child.answer()).url, pid: child.pid, pages: [] });
    process.kill(child.pid, 'SIGSTOP');
  }
  const throughputOf = async ({ url, pid }) => {
    process.kill(pid, 'SIGCONT');
    await ask({ command: 'connect', url, clients: CLIENTS });
    const options = { url, paths: ['/page'], clients: CLIENTS, seconds: SECONDS, limit: 60 };
    const { pages, elapsed } = await ask({ command: 'saturate', ...options });
    process.kill(pid, 'SIGSTOP');
    return pages / elapsed * 1000;
  };
  for (let round = 0; round < WARM_UP; round++) {
    for (const server of servers) await throughputOf(server);
  }
  for (let round = 0; round < ROUNDS; round++) {
    // Each comes at each place.
    const first = round % servers.length;
    for (const server of [...servers.slice(first), ...servers.slice(0, first)]) {
      server.pages.push(await throughputOf(server));
    }
  }
  const [nothing, ...others] = servers;
  const throughput = Math.round(quantile(nothing.pages, 0.5));
  console.log(`Node ${process.version}: ${throughput} pages/s without`);
  for (const { watch, pages } of others) {
    const shares = pages.map((each, round) => each / nothing.pages[round]);
    const quartiles = quantile(shares, [0.25, 0.5, 0.75]);
    const [low, middle, high] = quartiles.map((share) => share.toFixed(3));
    const goal = AT_LEAST[watch] === undefined ? '' : `, at least ${AT_LEAST[watch]}`;
    console.log(`${watch}: ${middle} (${low} to ${high})${goal}`);
    if (middle < AT_LEAST[watch]) process.exitCode = 1;
  }
  finish(undefined, process.exitCode);
}

if (process.argv[2] === undefined) measure();
else serve(process.argv[2]);
