'use strict';

// The server of docs/background.md, as it stands there, with each version of BullMQ and a real
// Redis: it does jobs beside requests, and loses neither when it is told to stop. And half-open
// connections.

const assert = require('node:assert/strict');
const { spawn } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const net = require('node:net');
const path = require('node:path');
const { codeBlocks, read } = require('../helpers/docs.js');
const { describeEach, sleep, until } = require('./bullmq');

const { code: PROGRAM } = codeBlocks(read('docs/background.md')).find(({ language, code }) => {
  return language === 'javascript' && code.includes('SIGTERM');
});

// Jobs of several pages, some of which are cut by the end of a server.
const JOBS = 40;
const PAGES = 12;

describeEach('the server of docs/background.md', (context) => {
  let children;

  beforeEach(() => {
    children = [];
  });

  afterEach(() => children.forEach((child) => child.kill('SIGKILL')));

  // Starts the program. Its first line is its port.
  async function start() {
    const { user, redis } = context;
    const file = path.join(user.folder, 'server.mjs');
    fs.writeFileSync(file, PROGRAM);
    const { host, port } = redis.connection;
    const env = { ...process.env, REDIS_URL: `redis://${host}:${port}`, PORT: '0' };
    const child = spawn(process.execPath, [file], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    children.push(child);
    child.errors = '';
    child.stderr.setEncoding('utf8').on('data', (text) => (child.errors += text));
    const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
    child.port = Number(line);
    return child;
  }

  async function ended(child) {
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    return { code: child.exitCode, signal: child.signalCode, errors: child.errors };
  }

  const page = async (port) => (await fetch(`http://127.0.0.1:${port}`)).text();

  it('answers its requests and gives its jobs back when it is stopped', async () => {
    const { user, redis, fleet } = context;
    const queue = fleet.closeLater(new user.Queue('reports', { connection: redis.connection }));
    await queue.obliterate({ force: true });
    const first = await start();
    const jobs = Array.from({ length: JOBS }, () => ({ name: 'job', data: { pages: PAGES } }));
    const added = await queue.addBulk(jobs);
    await until(async () => (await queue.getCompletedCount()) >= 3, 'some jobs are done');
    assert.equal(await page(first.port), 'page 1\n');
    const requests = Array.from({ length: 20 }, () => page(first.port));
    await Promise.race(requests);
    first.kill('SIGTERM');
    const answers = await Promise.allSettled(requests);
    // Connections that had not been accepted yet are refused, as the server listens no more.
    for (const { status, value } of answers) {
      if (status === 'fulfilled') assert.equal(value, 'page 1\n');
    }
    assert.deepEqual(await ended(first), { code: 0, signal: null, errors: '' });
    const { active, waiting, completed } = await queue.getJobCounts();
    assert.deepEqual([active, waiting + completed], [0, JOBS]);
    const second = await start();
    await until(async () => (await queue.getCompletedCount()) === JOBS, 'all jobs are done');
    for (const { id } of added) {
      const job = await queue.getJob(id);
      assert.deepEqual([job.returnvalue, job.attemptsMade, job.stalledCounter], [PAGES, 1, 0]);
    }
    second.kill('SIGTERM');
    assert.deepEqual(await ended(second), { code: 0, signal: null, errors: '' });
  });
});

// Forwards connections to a Redis. silence() makes those that are open half open: they stay, and
// nothing comes through any more.
class Proxy {
  #server;
  #sockets = [];

  async listen({ host, port }) {
    this.#server = net.createServer((socket) => {
      const other = net.connect(port, host);
      socket.pipe(other).pipe(socket);
      for (const each of [socket, other]) each.on('error', () => {});
      socket.on('close', () => other.destroy());
      this.#sockets.push({ socket, other });
    });
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return { host: '127.0.0.1', port: this.#server.address().port };
  }

  silence() {
    for (const { socket, other } of this.#sockets.splice(0)) {
      socket.unpipe(other);
      other.unpipe(socket);
      other.destroy();
      socket.resume();
    }
  }

  close() {
    this.#server.close();
    for (const { socket } of this.#sockets) socket.destroy();
  }
}

describeEach('an IdleWorker whose connections are half open', (context) => {
  it('goes on with new ones after the socketTimeout', async () => {
    const { fleet, redis } = context;
    const proxy = new Proxy();
    const connection = { ...(await proxy.listen(redis.connection)), socketTimeout: 2_000 };
    let runs = 0;
    const worker = await fleet.waitingWorker(async () => {
      runs++;
      await sleep(100);
    }, { connection });
    worker.on('error', () => {});
    const job = await fleet.queue.add('job', {});
    await until(() => runs > 0, 'it runs');
    // Its completion gets no answer.
    proxy.silence();
    await fleet.untilState('completed', job);
    const next = await fleet.queue.add('next', {});
    await fleet.untilState('completed', next);
    await worker.close(true);
    proxy.close();
  });
});
