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
const { LIMIT, assertOnEachNode, nodes } = require('../helpers/loop.js');
const { StayingClients } = require('../helpers/staying-clients.js');

const SITE = path.join(__dirname, 'sites', 'site.js');
const FLAGS = ['--expose-gc', '--no-deprecation'];

// Good visitors ask for those with an `end`, which is at the end of an answer; bad ones for all.
const PAGES = [
  { path: '/page', end: 'The end' },
  { path: '/prices', end: 'The prices' },
  { path: '/metrics', end: 'uv_scheduler_time_seconds_total' },
  { path: '/orders', method: 'POST', body: '{"number":7}', end: 'The order' },
  { path: '/broken' },
  { path: '/slow' },
];
const GOOD = PAGES.filter(({ end }) => end !== undefined);

// The pause of a good visitor, in milliseconds.
const INTERVAL = 20;
// The number of hostile clients at once.
const AT_ONCE = 64;
// When so many visitors have their pages, the site gets its signal.
const BEFORE_END = 20;
// Far longer than any answer takes.
const PATIENCE = 60_000;
// Kills a site that its test has left behind, after a time that suffices on a busy machine.
const LIMIT_OF_SITE = 8 * LIMIT;

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

// Visitors who ask for each page again and again, and expect all of it.
class Visitors {
  #client;
  #isOver = false;
  #all;
  served = 0;
  complaints = [];
  // A site that ends refuses those who come.
  isEnding = false;

  constructor(port, protocol) {
    this.#client = CLIENTS[protocol](port);
    this.#all = GOOD.map(async (page) => {
      while (!this.#isOver) {
        const complaint = await this.#visit(page, { isBusy: true });
        if (complaint !== undefined) this.complaints.push(`${page.path}: ${complaint}`);
        await sleep(INTERVAL);
      }
    });
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
    this.#isOver = true;
    await Promise.all(this.#all);
    for (const page of this.isEnding ? [] : GOOD) {
      const end = performance.now() + PATIENCE;
      let complaint = '';
      while (complaint !== undefined && performance.now() < end) {
        complaint = await this.#visit(page, { isBusy: false });
      }
      if (complaint !== undefined) this.complaints.push(`afterwards ${page.path}: ${complaint}`);
    }
    await this.#client.close();
  }
}

class Site {
  #child;
  #ended;
  #killing;
  #output = { stdout: '', stderr: '' };
  port;

  static async start(node, protocol, variables) {
    const site = new Site();
    const env = { ...process.env, NODE_ENV: 'production', ...variables };
    const options = { execPath: node.path, execArgv: FLAGS, env };
    site.#child = fork(SITE, [protocol], { ...options, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    for (const name of ['stdout', 'stderr']) {
      const stream = site.#child[name].setEncoding('utf8');
      stream.on('data', (data) => (site.#output[name] += data));
    }
    site.#ended = once(site.#child, 'close');
    site.#killing = setTimeout(() => site.kill(), LIMIT_OF_SITE);
    ({ port: site.port } = await site.#hear());
    return site;
  }

  async #hear() {
    const [message] = await Promise.race([once(this.#child, 'message'), this.#ended]);
    if (typeof message === 'object' && message !== null) return message;
    this.kill();
    throw new Error(`The site has ended by itself:\n${JSON.stringify(this.#output)}`);
  }

  // The answer of the site to a message: its memory in bytes, or its counts, resources and memory
  // once it is idle.
  ask(message) {
    this.#child.send(message);
    return this.#hear();
  }

  // Sends SIGTERM, and resolves to what the site prints and how it ends.
  async terminate() {
    this.#child.kill('SIGTERM');
    const [code, signal] = await this.#ended;
    return { code, signal, ...this.#output };
  }

  kill() {
    clearTimeout(this.#killing);
    this.#child.kill('SIGKILL');
  }
}

// The complaints about a site that hold at any time.
function judgeState({ counts, orders, faults, unhandled }) {
  const complaints = [...faults, ...unhandled];
  if (orders.kept !== orders.taken) complaints.push(`orders: ${JSON.stringify(orders)}`);
  for (const each of counts) {
    if (each.queued + each.running + Math.abs(each.lost) === 0) continue;
    complaints.push(`counts: ${JSON.stringify(each)}`);
  }
  return complaints;
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

// Attacks a site once to warm it up, and once more; resolves to what was wrong.
async function underFire(node, protocol, env) {
  const site = await Site.start(node, protocol, env);
  const { port } = site;
  // They ask for the longest page, which is sent piece by piece.
  const stay = () => StayingClients.come({ port, protocol, path: '/page' });
  // Each attack is on every other page, so two cover all.
  const attackBy = (number) => {
    const attacked = PAGES.filter((_, i) => i % 2 === number % 2);
    const pages = attacked.map(({ method = 'GET', path }) => `${method} ${path}`);
    const options = { seed: `1 ${number}`, protocol, pages, atOnce: AT_ONCE };
    return attack(`http://127.0.0.1:${port}`, options);
  };
  const complaints = [];
  const heaps = [];
  let staying;
  try {
    for (const round of [0, 1]) {
      const { memory: before } = await site.ask({});
      staying = await stay();
      const visitors = new Visitors(port, protocol);
      const { refused } = await attackBy(round);
      await visitors.stop();
      const { memory: after } = await site.ask({});
      const held = { most: MAX_HELD, what: 'it holds for clients that stay' };
      complaints.push(...visitors.complaints, ...judgeGrowth(before, after, held));
      await staying.leave();
      if (refused > 0) complaints.push(`${refused} connections were refused`);
      const measured = await site.ask({ few: FEW });
      heaps.push(measured.heap);
      complaints.push(...judgeQuiet(measured));
    }
    complaints.push(...judgeGrowth(...heaps, { most: MAX_GROWTH, what: 'the heap grew' }));
    staying = await stay();
    const visitors = new Visitors(port, protocol);
    const attacked = attackBy(2);
    while (visitors.served < BEFORE_END && visitors.complaints.length === 0) await sleep(INTERVAL);
    visitors.isEnding = true;
    const ended = await site.terminate();
    await Promise.all([attacked, visitors.stop()]);
    complaints.push(...visitors.complaints, ...judgeEnd(ended));
  } finally {
    site.kill();
    await staying?.leave();
  }
  return [...new Set(complaints)];
}

describe('under clients that behave badly every visitor is served by a site', () => {
  const ends = [...new Set([nodes.at(0), nodes.at(-1)])];
  for (const [title, { on, env }] of Object.entries({
    '': { on: ends },
    ' whose scheduler is off': { on: nodes.slice(-1), env: { UV_SCHEDULER_DISABLE: 'all' } },
  })) {
    for (const protocol of ['http1', 'http2']) {
      it(`of ${protocol}${title}`, async () => {
        await assertOnEachNode([], (node) => underFire(node, protocol, env), { on });
      }).timeout(8 * LIMIT);
    }
  }
});
