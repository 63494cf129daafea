'use strict';

// A whole site, built from the lines of the documents, under clients that behave badly, by each
// protocol; the tests of the examples attack frameworks. Visitors ask for its pages while hostile
// clients attack it and others stay without reading or sending; and it ends in the middle of an
// attack. sites/site.js judges itself.
// @lane long
// @host newest

const { fork } = require('node:child_process');
const { once } = require('node:events');
const http2 = require('node:http2');
const net = require('node:net');
const path = require('node:path');
const { text } = require('node:stream/consumers');
const { attack } = require('../helpers/hostile-clients.js');
const { LIMIT, assertOnEachNode, endNodes, nodes } = require('../helpers/loop.js');

const SITE = path.join(__dirname, 'sites', 'site.js');
const FLAGS = ['--expose-gc', '--no-deprecation'];
const OFF = { UV_SCHEDULER_DISABLE: 'all' };

// The clients that stay, those of them that ask for pages, and how many pages each asks for.
const STAYING = 64;
const READERS = 4;
const ASKED = 10;

// The number of visitors at once, and of hostile clients.
const VISITORS = 4;
const AT_ONCE = 64;
// When so many pages were served, the site gets its signal.
const BEFORE_END = 20;
const SLOW = 8 * LIMIT;

// How each protocol asks for a page: `ask()` resolves to the status and the stream of the body.
const CLIENTS = {
  http1(port) {
    const ask = async ({ path, method, body }) => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, body });
      return [response.status, response.body];
    };
    return { ask, close() {} };
  },
  http2(port) {
    const session = http2.connect(`http://127.0.0.1:${port}`);
    // Its streams have the error as well.
    session.on('error', () => {});
    const ask = async ({ path, method = 'GET', body }) => {
      const stream = session.request({ ':path': path, ':method': method });
      stream.end(body);
      const [headers] = await once(stream, 'response');
      return [headers[':status'], stream];
    };
    return { ask, close: () => session.close() };
  },
};

// Visitors who each ask for one page after the other until `isOver()`, and expect each of them. A
// busy site may refuse one, and a site that ends refuses those who come. Resolves to complaints.
async function visit({ port, protocol, pages }, { isOver, isEnding = () => false, onServed }) {
  const { ask, close } = CLIENTS[protocol](port);
  const wanted = pages.filter(({ end }) => end !== undefined);
  const complaints = [];
  await Promise.all(Array.from({ length: VISITORS }, async (_, first) => {
    for (let i = first; !isOver() && complaints.length === 0; i++) {
      const page = wanted[i % wanted.length];
      let status;
      try {
        const [found, stream] = await ask(page);
        status = found;
        const body = await text(stream);
        if (status === 200 && body.includes(page.end)) onServed();
        else if (status !== 503) complaints.push(`${page.path}: ${status} ${body.slice(-100)}`);
      } catch (error) {
        if (status === undefined && isEnding()) break;
        complaints.push(`${page.path}: ${error}, ${status}`);
      }
    }
  }));
  await close();
  return complaints;
}

// Clients that stay: most send nothing, the others read nothing of their pages. Resolves to a
// function by which they leave.
async function stay({ port, protocol }) {
  const sockets = Array.from({ length: STAYING }, () => net.connect(port, '127.0.0.1'));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  const ignore = () => {};
  // The server may end them at any time.
  for (const socket of sockets) socket.on('error', ignore);
  for (const socket of sockets.slice(0, READERS)) {
    if (protocol === 'http1') {
      socket.pause().write('GET /page HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(ASKED));
      continue;
    }
    // A stream without a reader keeps its window closed.
    const options = { createConnection: () => socket };
    const session = http2.connect('http://127.0.0.1', options).on('error', ignore);
    for (let i = 0; i < ASKED; i++) session.request({ ':path': '/page' }).on('error', ignore);
  }
  return () => sockets.forEach((socket) => socket.destroy());
}

// Attacks a site: once as it is, and once while it ends. Resolves to what was wrong.
async function underFire(node, protocol, variables = {}) {
  const env = { ...process.env, NODE_ENV: 'production', ...variables };
  const options = { execPath: node.path, execArgv: FLAGS, env };
  const child = fork(SITE, [protocol], options);
  const ended = once(child, 'close');
  const killing = setTimeout(() => child.kill('SIGKILL'), SLOW);
  const hear = async () => {
    const [message] = await Promise.race([once(child, 'message'), ended]);
    if (typeof message !== 'object' || message === null) throw new Error('The site has ended');
    return message;
  };
  let leave = () => {};
  try {
    const about = { protocol, ...await hear() };
    const pages = about.pages.map(({ method = 'GET', path }) => `${method} ${path}`);
    const fire = (seed) => attack(`http://127.0.0.1:${about.port}`,
      { seed, protocol, pages, atOnce: AT_ONCE });

    leave = await stay(about);
    let isOver = false;
    const visitors = visit(about, { isOver: () => isOver, onServed() {} });
    const { refused } = await fire(1);
    isOver = true;
    const complaints = await visitors;
    if (refused > 0) complaints.push(`${refused} connections were refused`);
    leave();
    child.send('judge');
    complaints.push(...await hear());

    leave = await stay(about);
    let served = 0;
    let isEnding = false;
    const attacked = fire(2);
    const last = hear();
    const seen = await visit(about, {
      isOver: () => false,
      isEnding: () => isEnding,
      onServed() {
        if (++served < BEFORE_END || isEnding) return;
        isEnding = true;
        child.kill('SIGTERM');
      },
    });
    // Visitors who complain stop before.
    if (!isEnding) child.kill('SIGTERM');
    complaints.push(...seen, ...await last);
    const [code, signal] = await ended;
    await attacked;
    if (code !== 0) complaints.push(`it ended with ${signal ?? code}`);
    return [...new Set(complaints)];
  } finally {
    clearTimeout(killing);
    child.kill('SIGKILL');
    leave();
  }
}

describe('under clients that behave badly every visitor is served by a site of', () => {
  for (const protocol of Object.keys(CLIENTS)) {
    it(protocol, () =>
      assertOnEachNode([], (node) => underFire(node, protocol), { on: endNodes })).timeout(SLOW);

    it(`${protocol} whose scheduler is off`, () =>
      assertOnEachNode([], (node) => underFire(node, protocol, OFF), { on: nodes.slice(-1) }),
    ).timeout(SLOW);
  }
});
