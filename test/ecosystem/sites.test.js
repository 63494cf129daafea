'use strict';

// Whole sites, built from the lines of the documents, under clients that behave badly. sites/ has
// one for each way to take requests; examples-next.test.js attacks the example on Next.js. Visitors
// ask a site for its pages while hostile clients attack it and others stay without reading or
// sending; and it ends in the middle of an attack.
// @lane long
// @host newest

const { fork } = require('node:child_process');
const { once } = require('node:events');
const http = require('node:http');
const http2 = require('node:http2');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');
const { text } = require('node:stream/consumers');
const { attack } = require('../helpers/hostile-clients.js');
const { LIMIT, assertOnEachNode, endNodes, nodes } = require('../helpers/loop.js');
const { StayingClients } = require('../helpers/staying-clients.js');
const sites = require('./sites/index.js');

const RUN = path.join(__dirname, 'sites', 'run.js');
const FLAGS = ['--expose-gc', '--no-deprecation'];

const OFF = { UV_SCHEDULER_DISABLE: 'all' };

// Good visitors come at this interval, in milliseconds.
const INTERVAL = 20;
// The number of hostile clients at once.
const AT_ONCE = 64;
// When so many visitors have their pages, the site gets its signal.
const BEFORE_END = 20;
// Far longer than any answer takes.
const PATIENCE = 60_000;
// Kills a site that its test has left behind, after a time that suffices on a busy machine.
const SLOW = 8 * LIMIT;

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
    const ask = async ({ path, method = 'GET', type = 'text/plain', body }) => {
      const options = { host: '127.0.0.1', port, path, method, agent: false };
      const request = http.request({ ...options, headers: { 'Content-Type': type } });
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
    const ask = async ({ path, method = 'GET', type = 'text/plain', body }) => {
      const stream = session.request({ ':path': path, ':method': method, 'content-type': type });
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
  #pages;
  #timer;
  #under = new Set();
  #asked = 0;
  served = 0;
  complaints = [];
  // A site that ends refuses those who come.
  isEnding = false;

  constructor({ port, protocol, pages }) {
    this.#client = CLIENTS[protocol](port);
    this.#pages = pages.filter(({ end }) => end !== undefined);
    this.#timer = setInterval(() => this.#visit(), INTERVAL);
  }

  #visit() {
    const page = this.#pages[this.#asked++ % this.#pages.length];
    const visit = this.visit(page).then((complaint) => {
      this.#under.delete(visit);
      if (complaint !== undefined) this.complaints.push(`${page.path}: ${complaint}`);
    });
    this.#under.add(visit);
  }

  // Resolves to what is wrong with the answer.
  async visit(page, isBusy = true) {
    const late = sleep(PATIENCE, 'no answer in time', { ref: false });
    return Promise.race([late, this.#judge(page, isBusy)]);
  }

  async #judge(page, isBusy) {
    let status;
    try {
      const answer = await this.#client.ask(page);
      status = answer[0];
      const body = await text(answer[1]);
      const isServed = status === 200 && body.includes(page.end);
      if (isServed) this.served++;
      const isRight = isServed || (status === 503 && isBusy);
      return isRight ? undefined : `${status} ${body.slice(-100)}`;
    } catch (error) {
      if (status === undefined && this.isEnding) return undefined;
      return `${error} in an answer of ${status}`;
    }
  }

  // Resolves when the site serves all pages as if nothing had been.
  async stop() {
    clearInterval(this.#timer);
    await Promise.all(this.#under);
    for (const page of this.isEnding ? [] : this.#pages) {
      const end = performance.now() + PATIENCE;
      let complaint = '';
      while (complaint !== undefined && performance.now() < end) {
        complaint = await this.visit(page, false);
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
  output = { stdout: '', stderr: '' };
  // Its port, its protocol and its pages.
  about;

  static async start(node, name, variables) {
    const site = new Site();
    const env = { ...process.env, NODE_ENV: 'production', ...variables };
    const options = { execPath: node.path, execArgv: FLAGS, env };
    site.#child = fork(RUN, [name], { ...options, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    for (const name of ['stdout', 'stderr']) {
      site.#child[name].setEncoding('utf8').on('data', (data) => (site.output[name] += data));
    }
    site.#ended = once(site.#child, 'close');
    site.#killing = setTimeout(() => site.kill(), SLOW);
    site.about = await site.#hear();
    return site;
  }

  async #hear() {
    const [message] = await Promise.race([once(this.#child, 'message'), this.#ended]);
    if (typeof message === 'object' && message !== null) return message;
    this.kill();
    throw new Error(`The site has ended by itself:\n${JSON.stringify(this.output)}`);
  }

  // Clients that stay. They ask for the longest page, which is sent piece by piece.
  stay() {
    const { port, protocol } = this.about;
    return StayingClients.come({ port, protocol, path: '/page' });
  }

  // The memory of the site now, in bytes.
  async readMemory() {
    this.#child.send({});
    const { memory } = await this.#hear();
    return memory;
  }

  // The counts, resources and memory of the site, once it is idle.
  measure() {
    this.#child.send({ few: FEW });
    return this.#hear();
  }

  // Each attack is on every other page, so two cover all.
  attack(number) {
    const { port, protocol, pages } = this.about;
    const attacked = pages.filter((_, i) => i % 2 === number % 2);
    const names = attacked.map(({ method = 'GET', path }) => `${method} ${path}`);
    const options = { seed: `1 ${number}`, protocol, pages: names, atOnce: AT_ONCE };
    return attack(`http://127.0.0.1:${port}`, options);
  }

  // Sends SIGTERM, and resolves to what the site prints and how it ends.
  async terminate() {
    this.#child.kill('SIGTERM');
    const [code, signal] = await this.#ended;
    return { code, signal, ...this.output };
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

// The complaints about bytes that have become more.
function judgeMemory(what, [before, after], most) {
  const growth = after - before;
  return growth < most ? [] : [`${what}: ${(growth / MEGABYTE).toFixed(1)} MB more`];
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

// Attacks a site once to warm it up, and once more; resolves to what was wrong. `variables` are
// further ones of the environment.
async function underFire(node, name, variables = {}) {
  const site = await Site.start(node, name, variables);
  const complaints = [];
  const heaps = [];
  let staying;
  try {
    for (const round of [0, 1]) {
      const before = await site.readMemory();
      staying = await site.stay();
      const visitors = new Visitors(site.about);
      const { refused } = await site.attack(round);
      await visitors.stop();
      const held = [before, await site.readMemory()];
      complaints.push(...visitors.complaints, ...judgeMemory('for those who stay', held, MAX_HELD));
      await staying.leave();
      if (refused > 0) complaints.push(`${refused} connections were refused`);
      const { heap, ...state } = await site.measure();
      heaps.push(heap);
      complaints.push(...judgeQuiet(state));
    }
    complaints.push(...judgeMemory('the heap', heaps, MAX_GROWTH));
    staying = await site.stay();
    const visitors = new Visitors(site.about);
    const attacked = site.attack(2);
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

describe('under clients that behave badly every visitor is served by a site on', () => {
  for (const name of Object.keys(sites)) {
    it(name, async () => {
      await assertOnEachNode([], (node) => underFire(node, name), { on: endNodes });
    }).timeout(SLOW);

    it(`${name} whose scheduler is off`, async () => {
      await assertOnEachNode([], (node) => underFire(node, name, OFF), { on: nodes.slice(-1) });
    }).timeout(SLOW);
  }
});
