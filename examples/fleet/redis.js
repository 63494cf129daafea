'use strict';

// A Redis of one's own: on a free port of the loopback interface, with a folder of its own. The
// tests use it, too.

const { spawn } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const net = require('node:net');
const os = require('node:os');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');
const { prepare } = require('../../scripts/setup/system');

const HOST = '127.0.0.1';

// Far longer than Redis needs to start.
const LIMIT = 20_000;

// A port of the loopback interface, which another program may take.
async function freePort() {
  const server = net.createServer().listen(0, HOST);
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

// Sends one command to the server on this port. Resolves to what it answers, or to '' if none
// listens.
function send(port, command) {
  return new Promise((resolve) => {
    let answer = '';
    const socket = net.connect(port, HOST, () => socket.end(`${command}\r\nQUIT\r\n`));
    socket.setEncoding('utf8').on('data', (text) => (answer += text));
    socket.on('close', () => resolve(answer));
    socket.on('error', () => resolve(''));
  });
}

class Redis {
  #folder = fs.mkdtempSync(path.join(os.tmpdir(), 'uv-scheduler-redis-'));
  #child;
  port;

  get pid() {
    return this.#child.pid;
  }

  get connection() {
    return { host: HOST, port: this.port };
  }

  // Starts the server, with the data that it had when it was stopped.
  async start() {
    const program = prepare('redis');
    const deadline = Date.now() + LIMIT;
    while (Date.now() < deadline) {
      const port = this.port ?? (await freePort());
      if (await this.#startOn(program, port)) {
        this.port = port;
        return;
      }
    }
    throw new Error(`${program} did not start; its log is in ${this.#folder}`);
  }

  // Another program may have taken the port.
  async #startOn(program, port) {
    const log = fs.openSync(path.join(this.#folder, 'log'), 'a');
    const args = ['--port', port, '--bind', HOST, '--dir', this.#folder];
    const child = spawn(program, [...args, '--save', '', '--appendonly', 'yes'], {
      stdio: ['ignore', log, log],
    });
    fs.closeSync(log);
    let hasEnded = false;
    child.on('error', () => (hasEnded = true));
    child.on('exit', () => (hasEnded = true));
    while (!hasEnded) {
      if ((await send(port, 'PING')).startsWith('+PONG')) {
        this.#child = child;
        return true;
      }
      await sleep(20);
    }
    return false;
  }

  // The calls of each command since the server was started, by name.
  async commands() {
    const text = await send(this.port, 'INFO commandstats');
    const lines = text.matchAll(/^cmdstat_(\w+):calls=(\d+)/gm);
    return Object.fromEntries([...lines].map(([, name, calls]) => [name, Number(calls)]));
  }

  // Sends a command in one line, and resolves to the answer.
  call(command) {
    return send(this.port, command);
  }

  async stop() {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined) return;
    child.kill('SIGTERM');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }

  // Forgets all data. The server must not run.
  clear() {
    fs.rmSync(this.#folder, { recursive: true, force: true });
    fs.mkdirSync(this.#folder);
  }

  async remove() {
    await this.stop();
    fs.rmSync(this.#folder, { recursive: true, force: true });
  }
}

module.exports = { Redis, freePort };
