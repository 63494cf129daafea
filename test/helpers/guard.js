'use strict';

// Runs servers with uv-scheduler/guard, and sends them bytes.

const assert = require('node:assert/strict');
const { fork } = require('node:child_process');
const { once } = require('node:events');
const http = require('node:http');
const net = require('node:net');
const { setTimeout: sleep } = require('node:timers/promises');
const { isDeepStrictEqual } = require('node:util');
const { ROOT, mapSome } = require('./programs.js');

const FLAG = 'uv-scheduler/guard';
const LINE = /^\[uv-scheduler [\d:]+\] (.*)$/gm;

const children = new Set();

// Starts a server that sends its port, or answers on a `port` at the path `ready`, and resolves to
// it: { port, child, output }. Without a mode there is no guard.
async function launch(program, options = {}) {
  const { mode, flags = ['--import', FLAG], args = [], env, node, cwd = ROOT } = options;
  const execArgv = mode === undefined ? [] : flags;
  const child = fork(program, args, {
    cwd, execArgv, silent: true, execPath: node?.path ?? process.execPath,
    env: { ...process.env, ...(mode !== undefined && { UV_SCHEDULER_GUARD: mode }), ...env },
  });
  children.add(child);
  const started = { child, stdout: '', stderr: '', ended: once(child, 'close') };
  for (const name of ['stdout', 'stderr']) {
    child[name].setEncoding('utf8').on('data', (text) => (started[name] += text));
  }
  started.ended.then(() => children.delete(child));
  const { port: own, ready } = options;
  const listening = own === undefined
    ? once(child, 'message').then(([first]) => first) : answered(own, ready, child);
  const port = await Promise.race([listening, started.ended]);
  if (!Number.isInteger(port)) throw new Error(`no start: ${started.stderr}`);
  return Object.assign(started, {
    port,
    // The first lines of what the guard says.
    said: () => [...started.stderr.matchAll(LINE)].map(([, text]) => text),
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      const [code, by] = await started.ended;
      return by ?? code;
    },
  });
}

// Resolves to a port when a program answers on it.
async function answered(port, path, child) {
  const runs = () => child.exitCode === null && child.signalCode === null;
  while (runs() && await statusOf(port, path) === undefined) await sleep(100);
  return port;
}

async function stopAll() {
  for (const child of children) {
    child.kill('SIGKILL');
    await once(child, 'close');
  }
}

// For so long in ms nothing comes before an answer counts as complete, unless it is known; and the
// longest wait for it.
const SILENCE = 200;
const PATIENCE = 20_000;

// Sends bytes over one connection, each part when the answer to the one before is complete.
// Resolves to what has come after each part. `known` is the same of another server.
function exchange(port, parts, known) {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    const texts = [];
    let text = '';
    let isOver = false;
    let timer;
    const shown = () => text.replace(/^Date: .*$/gm, 'Date:');
    const isComplete = () => known === undefined || isOver || shown() === known[texts.length];
    const go = () => {
      clearTimeout(timer);
      timer = setTimeout(next, isComplete() ? SILENCE : PATIENCE);
    };
    const next = () => {
      texts.push(shown());
      if (texts.length < parts.length && !isOver) {
        socket.write(parts[texts.length]);
        go();
        return;
      }
      socket.destroy();
      resolve(texts);
    };
    const add = (more) => {
      text += more;
      go();
    };
    socket.setEncoding('latin1').on('data', add);
    socket.on('error', ({ code }) => add(`[${code}]`));
    socket.on('end', () => add('[end]'));
    socket.on('close', () => {
      isOver = true;
      if (texts.length < parts.length) go();
    });
    socket.write(parts[0]);
    go();
  });
}

const head = (method, path, headers = {}, body = '') => {
  const all = Object.entries({ Host: 'a', ...headers });
  const lines = all.map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
};

const JSON_BODY = '{"a":1,"b":"text"}';
const length = { 'Content-Length': JSON_BODY.length, 'Content-Type': 'application/json' };

// What clients send, by name. `page` answers GET, and `post` takes a body.
const exchangesOf = ({ page = '/length', post = '/echo', more = [] } = {}) => ({
  'GET': [head('GET', page)],
  'HEAD': [head('HEAD', page)],
  'HTTP/1.0': [`GET ${page} HTTP/1.0\r\n\r\n`],
  'close': [head('GET', page, { Connection: 'close' })],
  'nothing there': [head('GET', '/no/such')],
  'OPTIONS *': [head('OPTIONS', '*')],
  'a body': [head('POST', post, length, JSON_BODY)],
  'a slow body': [head('POST', post, length), JSON_BODY.slice(0, 5), JSON_BODY.slice(5)],
  'chunks and trailers': [head('POST', post, { 'Transfer-Encoding': 'chunked', 'Trailer': 'X-T' },
    `12\r\n${JSON_BODY}\r\n0\r\nX-T: 1\r\n\r\n`)],
  'Expect': [head('POST', post, { Expect: '100-continue', ...length }), JSON_BODY],
  'an unknown Expect': [head('POST', post, { Expect: 'more', ...length }, JSON_BODY)],
  'keep-alive': [
    head('GET', page), head('GET', '/no/such'), head('GET', page, { Connection: 'close' }),
  ],
  'pipelining': [head('GET', page) + head('GET', '/no/such') + head('HEAD', page) +
    head('POST', post, length, JSON_BODY) + head('GET', page, { Connection: 'close' })],
  'upgrade': [head('GET', '/socket', { Connection: 'Upgrade', Upgrade: 'websocket' })],
  'CONNECT': [head('CONNECT', 'a:1')],
  'no HTTP': ['nonsense\r\n\r\n'],
  'an absolute URL': [head('GET', `http://a${page}`)],
  'a broken code': [head('GET', '/%E0%')],
  'a long path': [head('GET', `/${'x'.repeat(9000)}`)],
  'a body that is not read': [head('POST', '/no/such', length, JSON_BODY)],
  ...Object.fromEntries(more.map((path) => [path, [head('GET', path)]])),
});

async function answersOnce(port, exchanges, known) {
  const names = Object.keys(exchanges);
  const send = (name) => exchange(port, exchanges[name], known?.[name]);
  // A few at once, as a server that has just started has no time for all.
  const texts = await mapSome(names, send);
  return Object.fromEntries(names.map((name, i) => [name, texts[i]]));
}

// Resolves to the answers of a server to each exchange. `known` has the answers of another one.
// Without `known`, the server is asked until the same answers have come twice: the first answers of
// a server come late, and on a busy machine any may come behind the silence that ends it.
async function answers(port, exchanges, known = undefined) {
  let texts = await answersOnce(port, exchanges, known);
  if (known !== undefined) return texts;
  for (let before; !isDeepStrictEqual(texts, before);) {
    before = texts;
    texts = await answersOnce(port, exchanges);
  }
  return texts;
}

// Asserts that the answers are the same without a guard and in each mode. `begin(mode)` starts a
// server, and resolves to { port, stop }.
async function assertSameBytes(begin, exchanges, modes = ['observe', 'enforce']) {
  let plain;
  for (const mode of [undefined, ...modes]) {
    const server = await begin(mode);
    const texts = await answers(server.port, exchanges, plain);
    plain ??= texts;
    await server.stop();
    assert.deepEqual(texts, plain, mode);
  }
}

// Resolves to the status of an answer, or undefined where the client has left after some ms.
function statusOf(port, path, { after = 5000, headers } = {}) {
  return new Promise((resolve) => {
    const address = { port, host: '127.0.0.1', path, headers, agent: false };
    const request = http.get(address, (response) => {
      response.resume().on('end', () => done(response.statusCode)).on('error', () => done());
    });
    const timer = setTimeout(() => request.destroy(), after);
    const done = (status) => {
      clearTimeout(timer);
      resolve(status);
    };
    request.on('error', () => done());
  });
}

// Keeps `atOnce` requests for a route in progress, while others are asked for `count` times, one
// after the other. Resolves to the statuses of all.
async function flood(port, { costly, others, atOnce = 40, count = 20 }) {
  let isOver = false;
  const flooded = {};
  const client = async (_, i) => {
    for (let n = 0; !isOver; n++) {
      const page = typeof costly === 'function' ? costly(i * 1e4 + n) : costly;
      const status = await statusOf(port, page);
      flooded[status] = (flooded[status] ?? 0) + 1;
    }
  };
  const clients = Promise.all(Array.from({ length: atOnce }, client));
  const statuses = {};
  for (const path of others) {
    for (let i = 0; i < count; i++) {
      const status = await statusOf(port, path);
      (statuses[path] ??= {})[status] = (statuses[path][status] ?? 0) + 1;
    }
  }
  isOver = true;
  await clients;
  return { flooded, others: statuses };
}

// Asserts that nearly all of 20 requests for each path were served: one is refused where the
// machine stands still for long.
function assertServed(statuses) {
  for (const [page, { 200: served = 0 }] of Object.entries(statuses)) {
    assert.ok(served >= 17, `${page}: ${JSON.stringify(statuses)}`);
  }
}

module.exports = {
  FLAG, answers, assertSameBytes, assertServed, exchangesOf, flood, launch, statusOf, stopAll,
};
