'use strict';

// Streams beside pages: connections that live long and work a little at a time are served like
// short pages, whatever they have used in all.

const assert = require('node:assert/strict');
const { spawn } = require('node:child_process');
const { once } = require('node:events');
const http = require('node:http');
const path = require('node:path');
const { setTimeout: wait } = require('node:timers/promises');
const { WebSocket } = require('ws');
const { MIXES, createVisitors } = require('../../bench/equals/mixes');
const { LIMIT } = require('../helpers/programs.js');

const SERVER = path.join(__dirname, '../fixtures/streaming-server.js');

// The first seconds do not count: until then the levels are learned, and what a stream has used
// comes to be more than a short page takes.
const SECONDS = 8;
const WARM = 3;

// The shares of the thread that pages need. If the p99 of short pages is MOST ms or more, the
// machine is too slow for a share, and the test tries the next one.
const LOADS = [0.8, 0.5, 0.3, 0.15];
const MOST = 200;

// So many connections of each kind.
const CONNECTIONS = 2;
// Messages that are sent at once, which take a millisecond each, and how often.
const INTERVAL = 300;
const BURST = ['first', 'second', 'third'];

const clock = () => performance.timeOrigin + performance.now();

// The latencies in ms of what began after the first seconds, by kind.
class Latencies {
  #begin = clock() + WARM * 1_000;
  #times = {};

  add(kind, at) {
    const times = (this.#times[kind] ??= []);
    if (at >= this.#begin) times.push(clock() - at);
  }

  count(kind) {
    return this.#times[kind]?.length ?? 0;
  }

  percentile(kind, part) {
    const sorted = this.#times[kind].sort((a, b) => a - b);
    return sorted[Math.floor(sorted.length * part)];
  }
}

async function startServer() {
  const child = spawn(process.execPath, [SERVER], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = await once(child.stdout.setEncoding('utf8'), 'data');
  return { child, port: Number(port) };
}

function get(port, name, agent) {
  return new Promise((resolve, reject) => {
    http.get({ port, path: `/${name}`, agent }, resolve).on('error', reject);
  });
}

// Returns a function that closes it.
async function openEvents(port, name, latencies) {
  const response = await get(port, name);
  response.setEncoding('utf8').on('error', () => {}).on('data', (text) => {
    for (const [, at] of text.matchAll(/^data: (.*)$/gm)) latencies.add(name, Number(at));
  });
  return () => response.destroy();
}

// Returns a function that closes it and returns the order of its answers.
async function openSocket(port, latencies) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}`);
  await once(socket, 'open');
  const order = [];
  socket.on('message', (data) => {
    const { name, at } = JSON.parse(data);
    order.push(name);
    if (name === BURST[0]) latencies.add('socket', at);
  });
  const timer = setInterval(() => {
    for (const name of BURST) socket.send(JSON.stringify({ name, at: clock() }));
  }, INTERVAL);
  return () => {
    clearInterval(timer);
    socket.terminate();
    return order;
  };
}

// Asks for pages as visitors come.
async function visit(port, load, latencies) {
  const agent = new http.Agent({ keepAlive: true });
  const begin = performance.now();
  const pages = [];
  const visitors = createVisitors(MIXES.mix, { load, seconds: SECONDS, seed: 5 });
  for (const { time, name } of visitors) {
    const left = begin + time - performance.now();
    if (left > 0) await wait(left);
    const at = clock();
    pages.push(get(port, name, agent).then(async (response) => {
      await once(response.resume(), 'end');
      latencies.add(name, at);
    }));
  }
  await Promise.all(pages);
  agent.destroy();
}

describe('beside short and long pages', () => {
  let server;
  let latencies;
  let orders;

  before(async function () {
    this.timeout(3 * LIMIT);
    for (const load of LOADS) {
      await measure(load);
      if (latencies.percentile('short', 0.99) < MOST) break;
    }
  });

  async function measure(load) {
    server?.child.kill();
    server = await startServer();
    const { port } = server;
    latencies = new Latencies();
    const each = Array.from({ length: CONNECTIONS });
    const streams = await Promise.all(each.flatMap(() => {
      return ['events', 'admitted'].map((name) => openEvents(port, name, latencies));
    }));
    const sockets = await Promise.all(each.map(() => openSocket(port, latencies)));
    await visit(port, load, latencies);
    for (const close of streams) close();
    orders = sockets.map((close) => close());
  }

  after(() => server?.child.kill());

  for (const [kind, title] of Object.entries({
    events: 'server-sent events of a request with controllerFor()',
    admitted: 'server-sent events of a request behind an admission',
    socket: 'messages of a WebSocket that is a request',
  })) {
    it(`${title} are served like short pages`, () => {
      assert.ok(latencies.count(kind) > 10, `${latencies.count(kind)} answers`);
      const [own, short] = [kind, 'short'].map((name) => latencies.percentile(name, 0.99));
      assert.ok(own <= 2 * short, `${own} ms, and ${short} ms for short pages`);
    });
  }

  it('messages of one connection start in the order in which they came', () => {
    for (const order of orders) {
      assert.ok(order.length > 10 * BURST.length, `${order.length} answers`);
      assert.deepEqual(order, order.map((_, i) => BURST[i % BURST.length]));
    }
  });
});
