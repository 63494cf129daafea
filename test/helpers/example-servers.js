'use strict';

// Owns the servers of examples/ as their tests use them: processes that are started, and ended by
// SIGTERM; and the clients that ask them.

const { spawn } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const http = require('node:http');
const path = require('node:path');
const { setTimeout: delay } = require('node:timers/promises');
const { LIMIT, ROOT } = require('./programs.js');

const ADDRESS = /http:\/\/127\.0\.0\.1:\d+/;
const PAUSE = 20;

// For how long a connection may be idle, in milliseconds. A server ends it after 5 s, and a request
// that is sent at that moment fails.
const IDLE = 1000;

const folderOf = (name) => path.join(ROOT, 'examples', name);

async function read(response) {
  let body = '';
  for await (const text of response.setEncoding('utf8')) body += text;
  return { status: response.statusCode, body };
}

// A process that has printed its address: of an example, or in a folder of its own.
class ExampleServer {
  #agent = new http.Agent({ keepAlive: true, timeout: IDLE });
  #child;
  #ended;
  output = '';

  // Starts one. Next.js needs other arguments. `address` is what it prints.
  static async start(name, options = {}) {
    const { node = process.execPath, args = ['server.js'], env, address = ADDRESS } = options;
    const { cwd = folderOf(name) } = options;
    const has = (file) => fs.existsSync(path.join(cwd, file));
    if (has('package.json') && !has('node_modules')) {
      throw new Error(
        `The packages of examples/${name} are not installed. Run: npm test -- --ecosystem`,
      );
    }
    const server = new ExampleServer(node, args, { cwd, env });
    try {
      [server.url] = await server.says(address);
    } catch (error) {
      await server.kill();
      throw error;
    }
    return server;
  }

  constructor(node, args, { cwd, env }) {
    const options = { cwd, env: { ...process.env, PORT: '0', ...env } };
    this.#child = spawn(node, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const name of ['stdout', 'stderr']) {
      this.#child[name].setEncoding('utf8').on('data', (text) => (this.output += text));
    }
    this.#ended = new Promise((resolve, reject) => {
      this.#child.on('error', reject);
      this.#child.on('close', (code, signal) => resolve({ code, signal }));
    });
  }

  // Waits until the output matches. Returns the match.
  async says(pattern) {
    for (const end = performance.now() + LIMIT; performance.now() < end;) {
      const found = pattern.exec(this.output);
      if (found) return found;
      if (this.#child.exitCode !== null) break;
      await delay(PAUSE);
    }
    throw new Error(`The server has not said ${pattern}:\n${this.output}`);
  }

  // Sends a request, on a connection that is kept alive. `begun` resolves when its answer begins to
  // arrive, `answer` to all of it; leave() closes the connection.
  visit(name, { method = 'GET', headers } = {}) {
    const request = http.request(`${this.url}${name}`, { method, headers, agent: this.#agent });
    const begun = once(request, 'response').then(async ([response]) => {
      // An empty answer ends at once.
      await Promise.race([once(response, 'readable'), once(response, 'end')]);
      return response;
    });
    const answer = begun.then(read);
    // A client that leaves waits for neither, and gets an error.
    for (const promise of [begun, answer]) promise.catch(() => {});
    request.on('error', () => {}).end();
    return { begun, answer, leave: () => request.destroy() };
  }

  ask(name, options) {
    return this.visit(name, options).answer;
  }

  // Asks for a page, and for others again and again until its last byte: from its first, or from
  // the request if it is not streamed. Returns how often each of these was answered beside the
  // page's answer.
  async askBesides(name, others, { isStreamed = true } = {}) {
    const { begun, answer } = this.visit(name);
    if (isStreamed) await begun;
    let isDone = false;
    answer.catch(() => {}).then(() => (isDone = true));
    let rounds = 0;
    for (; !isDone; rounds++) {
      for (const other of others) await this.ask(other);
    }
    return { ...(await answer), rounds };
  }

  // Sends SIGTERM, and resolves to how the process has ended.
  terminate() {
    this.#child.kill('SIGTERM');
    return this.#ended;
  }

  // Ends it if it still runs.
  async kill() {
    this.#agent.destroy();
    this.#child.kill('SIGKILL');
    await this.#ended;
  }
}

module.exports = { ExampleServer, folderOf };
