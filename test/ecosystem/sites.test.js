'use strict';

// A whole site, built from the lines of the documents, under fire: visitors ask for its pages while
// hostile clients attack it and others stay without reading or sending, and it is ended in the
// middle of an attack. Frameworks under attack are in examples.test.js and examples-next.test.js.

const { fork } = require('node:child_process');
const { once } = require('node:events');
const http = require('node:http');
const http2 = require('node:http2');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');
const { text } = require('node:stream/consumers');
const { attack } = require('../helpers/hostile-clients.js');
const { LIMIT, assertOnEachNode, endNodes } = require('../helpers/loop.js');
const { StayingClients } = require('../helpers/staying-clients.js');

const SITE = path.join(__dirname, 'sites', 'site.js');
const FLAGS = ['--expose-gc', '--no-deprecation'];

// Good visitors ask for those with an `end`, which is at the end of an answer; bad ones for all.
const PAGES = [
  { path: '/page', end: 'The end' },
  { path: '/orders', method: 'POST', body: '{"number":7}', end: 'The order' },
  { path: '/broken' },
];
const GOOD = PAGES.filter(({ end }) => end !== undefined);

// Good visitors come at this interval, in milliseconds.
const INTERVAL = 20;
// The number of hostile clients at once.
const AT_ONCE = 64;
// When so many visitors have their pages, the site gets its signal.
const BEFORE_END = 20;
// Far longer than any answer takes.
const PATIENCE = 60_000;

// Of a thousand requests so many may still be in memory: Node keeps the last ones of its parsers,
// and with one of them all that came on its connection.
const FEW = 100;

const MEGABYTE = 2 ** 20;
// A thousand requests and more come in a round.
const MAX_GROWTH = 3 * MEGABYTE;
// The most memory that a site holds for clients that stay: three times the size of their pages.
const MAX_HELD = 50 * MEGABYTE;

// How each protocol asks for a page: `ask()` resolves to the status and the stream of the body.
const CLIENTS = {
  http1(port) {
    const ask = async ({ path, method = 'GET', body }) => {
      const request = http.request({ host: '127.0.0.1', port, path, method, agent: false });
      request.end(body);
      const [response] = await once(request, 'response');
      return [response.statusCode, response];
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
    const closed = new Promise((resolve) => session.on('close', resolve));
    const close = () => {
      session.close();
      return closed;
    };
    return { ask, close };
  },
};

// Visitors who ask for one page after the other, and expect each of them.
class Visitors {
  #client;
  #timer;
  #under = new Set();
  #asked = 0;
  served = 0;
  complaints = [];
  // A site that ends refuses those who come.
  isEnding = false;

  constructor(port, protocol) {
    this.#client = CLIENTS[protocol](port);
    this.#timer = setInterval(() => this.#come(), INTERVAL);
  }

  #come() {
    const page = GOOD[this.#asked++ % GOOD.length];
    const visit = this.#visit(page, { isBusy: true }).then((complaint) => {
      this.#under.delete(visit);
      if (complaint !== undefined) this.complaints.push(`${page.path}: ${complaint}`);
    });
    this.#under.add(visit);
  }

  // Resolves to what is wrong with the answer.
  async #visit(page, { isBusy }) {
    const late = sleep(PATIENCE, 'no answer in time', { ref: false });
    return Promise.race([late, this.#judge(page, isBusy)]);
  }

  async #judge(page, isBusy) {
    let status;
    try {
      const answer = await this.#client.ask(page);
      status = answer[0];
      const body = await text(answer[1]);
      if (status === 503 && isBusy) return undefined;
      if (status !== 200 || !body.includes(page.end)) return `${status} ${body.slice(-100)}`;
      this.served++;
    } catch (error) {
      if (status !== undefined || !this.isEnding) return `${error} in an answer of ${status}`;
    }
    return undefined;
  }

  // Resolves when the site serves all pages as if nothing had been.
  async stop() {
    clearInterval(this.#timer);
    await Promise.all(this.#under);
    for (const page of this.isEnding ? [] : GOOD) {
      const end = performance.now() + PATIENCE;
      let complaint = '';
      while (complaint !== undefined && performance.now() < end) {
        complaint = await this.#visit(page, { isBusy: false });
        await sleep(INTERVAL);
      }
      if (complaint !== undefined) this.complaints.push(`afterwards ${page.path}: ${complaint}`);
    }
    await this.#client.close();
  }
}

// The complaints about a site without requests.
function judgeState({ counts, orders, faults }) {
  const wrong = counts.filter(({ queued, running, lost }) => queued + running + Math.abs(lost) > 0);
  if (orders.kept !== orders.taken) wrong.push(orders);
  return [...faults, ...wrong.map((each) => JSON.stringify(each))];
}

// The complaints about a site that is idle.
function judgeQuiet({ alive, resources, usual, ...state }) {
  const complaints = judgeState(state);
  if (resources !== usual) complaints.push(`resources: ${resources}, not ${usual}`);
  if (alive > FEW) complaints.push(`${alive} requests are still in memory`);
  return complaints;
}

function judgeGrowth(before, after, { most, what }) {
  const growth = after - before;
  return growth < most ? [] : [`${what}: ${(growth / MEGABYTE).toFixed(1)} MB`];
}

function judgeEnd({ code, signal, stdout, stderr }) {
  const complaints = stderr === '' ? [] : [`stderr: ${stderr}`];
  if (code !== 0) complaints.push(`it ended with ${signal ?? code}`);
  if (stdout === '') return [...complaints, 'it ended before drain() had'];
  const { late, admittedLate, isInTime, ...state } = JSON.parse(stdout);
  complaints.push(...judgeState(state));
  if (late.length + admittedLate.length > 0) {
    complaints.push(`after drain(): ${JSON.stringify([late, admittedLate])}`);
  }
  if (!isInTime) complaints.push('drain() has not ended in time');
  return complaints;
}

const children = [];

// Starts a site. `ask(message)` resolves to its answer: its memory, or its counts, resources and
// memory once it is idle. `terminate()` sends SIGTERM, and resolves to what it prints and how it
// ends.
async function start(node, protocol, variables) {
  const env = { ...process.env, NODE_ENV: 'production', ...variables };
  const options = { execPath: node.path, execArgv: FLAGS, env };
  const child = fork(SITE, [protocol], { ...options, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  children.push(child);
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr']) {
    child[name].setEncoding('utf8').on('data', (data) => (output[name] += data));
  }
  const ended = once(child, 'close');
  const hear = async () => {
    const [message] = await Promise.race([once(child, 'message'), ended]);
    if (typeof message === 'object' && message !== null) return message;
    throw new Error(`The site has ended by itself:\n${JSON.stringify(output)}`);
  };
  const { port } = await hear();
  return {
    port,
    ask(message) {
      child.send(message);
      return hear();
    },
    async terminate() {
      child.kill('SIGTERM');
      const [code, signal] = await ended;
      return { code, signal, ...output };
    },
  };
}

// Attacks a site once to warm it up, and once more; resolves to what was wrong.
async function underFire(node, protocol, env) {
  const { port, ask, terminate } = await start(node, protocol, env);
  // They ask for the longest page, which is sent piece by piece.
  const stay = () => StayingClients.come({ port, protocol, path: '/page' });
  const attackBy = (number) => {
    const pages = PAGES.map(({ method = 'GET', path }) => `${method} ${path}`);
    const options = { seed: `1 ${number}`, protocol, pages, atOnce: AT_ONCE };
    return attack(`http://127.0.0.1:${port}`, options);
  };
  const complaints = [];
  const heaps = [];
  for (const round of [0, 1]) {
    const { memory: before } = await ask({});
    const staying = await stay();
    const visitors = new Visitors(port, protocol);
    const { refused } = await attackBy(round);
    await visitors.stop();
    const { memory: after } = await ask({});
    const held = { most: MAX_HELD, what: 'it holds for clients that stay' };
    complaints.push(...visitors.complaints, ...judgeGrowth(before, after, held));
    await staying.leave();
    if (refused > 0) complaints.push(`${refused} connections were refused`);
    const measured = await ask({ few: FEW });
    heaps.push(measured.heap);
    complaints.push(...judgeQuiet(measured));
  }
  complaints.push(...judgeGrowth(...heaps, { most: MAX_GROWTH, what: 'the heap grew' }));
  const staying = await stay();
  const visitors = new Visitors(port, protocol);
  const attacked = attackBy(2);
  while (visitors.served < BEFORE_END && visitors.complaints.length === 0) await sleep(INTERVAL);
  visitors.isEnding = true;
  const ended = await terminate();
  await Promise.all([attacked, visitors.stop(), staying.leave()]);
  return [...new Set([...complaints, ...visitors.complaints, ...judgeEnd(ended)])];
}

describe('under clients that behave badly every visitor is served by a site', () => {
  // Those that a failed test has left behind.
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });

  for (const [title, { on, env }] of Object.entries({
    '': { on: endNodes },
    ' whose scheduler is off': { on: [endNodes.at(-1)], env: { UV_SCHEDULER_DISABLE: 'all' } },
  })) {
    for (const protocol of ['http1', 'http2']) {
      it(`of ${protocol}${title}`, async () => {
        await assertOnEachNode([], (node) => underFire(node, protocol, env), { on });
      }).timeout(8 * LIMIT);
    }
  }
});
