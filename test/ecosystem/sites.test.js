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
const { text } = require('node:stream/consumers');
const { attack } = require('../helpers/hostile-clients.js');
const { LIMIT, assertOnEachNode, endNodes, nodes } = require('../helpers/loop.js');
const { StayingClients } = require('../helpers/staying-clients.js');
const sites = require('./sites/index.js');

const RUN = path.join(__dirname, 'sites', 'run.js');
const FLAGS = ['--expose-gc', '--no-deprecation'];

const OFF = { UV_SCHEDULER_DISABLE: 'all' };

// The number of visitors at once, and of hostile clients.
const VISITORS = 4;
const AT_ONCE = 64;
// When so many pages were served, the site gets its signal.
const BEFORE_END = 20;
// Kills a site that its test has left behind, after a time that suffices on a busy machine.
const SLOW = 8 * LIMIT;

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

// Visitors who each ask for one page after the other, and expect each of them.
class Visitors {
  #client;
  #pages;
  #visits;
  #isOver = false;
  #isEnding = false;
  #onServed = () => {};
  #served = 0;
  complaints = [];

  constructor({ port, protocol, pages }) {
    this.#client = CLIENTS[protocol](port);
    this.#pages = pages.filter(({ end }) => end !== undefined);
    this.#visits = Promise.all(Array.from({ length: VISITORS }, async (_, first) => {
      for (let i = first; !this.#isOver; i++) {
        await this.#visit(this.#pages[i % this.#pages.length]);
      }
    }));
  }

  // Resolves to whether the page was served. A busy site may refuse it.
  async #visit(page, isBusy = true) {
    let status;
    try {
      const [found, stream] = await this.#client.ask(page);
      status = found;
      const body = await text(stream);
      if (status === 200 && body.includes(page.end)) {
        this.#onServed(++this.#served);
        return true;
      }
      if (status !== 503 && isBusy) this.#complain(page, `${status} ${body.slice(-100)}`);
    } catch (error) {
      // A site that ends refuses those who come.
      if (status === undefined && this.#isEnding) this.#isOver = true;
      else this.#complain(page, `${error} in an answer of ${status}`);
    }
    return false;
  }

  #complain({ path }, what) {
    this.complaints.push(`${path}: ${what}`);
    this.#isOver = true;
    this.#onServed(Infinity);
  }

  // Resolves when so many pages were served, or one was not.
  served(count) {
    return new Promise((resolve) => {
      this.#onServed = (served) => served >= count && resolve();
      this.#onServed(this.complaints.length > 0 ? Infinity : this.#served);
    });
  }

  // Resolves when the site serves all pages as if nothing had been, or has ended.
  async stop({ isEnding = false } = {}) {
    this.#isOver = true;
    await this.#visits;
    for (const page of isEnding ? [] : this.#pages) {
      while (this.complaints.length === 0 && !(await this.#visit(page, false)));
    }
    await this.#client.close();
  }

  expectEnd() {
    this.#isEnding = true;
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

  // The heap of the site once it is idle, and what is wrong with it.
  measure() {
    this.#child.send({ isIdle: true });
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

// The complaints about bytes that have become more.
function judgeMemory(what, [before, after], most) {
  const growth = after - before;
  return growth < most ? [] : [`${what}: ${(growth / MEGABYTE).toFixed(1)} MB more`];
}

function judgeEnd({ code, signal, stdout, stderr }) {
  const complaints = stderr === '' ? [] : [`stderr: ${stderr}`];
  if (code !== 0) complaints.push(`it ended with ${signal ?? code}`);
  return [...complaints, ...stdout === '' ? ['it ended before drain() had'] : JSON.parse(stdout)];
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
      const { heap, complaints: ofIdle } = await site.measure();
      heaps.push(heap);
      complaints.push(...ofIdle);
    }
    complaints.push(...judgeMemory('the heap', heaps, MAX_GROWTH));
    staying = await site.stay();
    const visitors = new Visitors(site.about);
    const attacked = site.attack(2);
    await visitors.served(BEFORE_END);
    visitors.expectEnd();
    const ended = await site.terminate();
    await Promise.all([attacked, visitors.stop({ isEnding: true })]);
    complaints.push(...visitors.complaints, ...judgeEnd(ended));
  } finally {
    site.kill();
    await staying?.leave();
  }
  return [...new Set(complaints)];
}

describe('under clients that behave badly every visitor is served by a site on', () => {
  for (const name of Object.keys(sites)) {
    it(name, () =>
      assertOnEachNode([], (node) => underFire(node, name), { on: endNodes })).timeout(SLOW);

    it(`${name} whose scheduler is off`, async () => {
      await assertOnEachNode([], (node) => underFire(node, name, OFF), { on: nodes.slice(-1) });
    }).timeout(SLOW);
  }
});
