'use strict';

// Folders like those of users who have installed the package beside a version of BullMQ, made of
// what is installed in this folder; and what the tests of its workers share.

const assert = require('node:assert/strict');
const { fork } = require('node:child_process');
const fs = require('node:fs');
const { createRequire } = require('node:module');
const os = require('node:os');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');
const { finder } = require('../../helpers/installed.js');
const { busy: compute } = require('../../helpers/tasks.js');
const { install } = require('../../helpers/packed.js');
const { Redis } = require('../../../examples/fleet/redis.js');

const find = finder('bullmq');

const VERSIONS = {
  // The first that the package supports, and the newest. Examples and benchmarks run with one
  // between them.
  'BullMQ 5.77': find('BullMQ 5.77', 'bullmq-first'),
  'BullMQ 6': find('BullMQ 6', 'bullmq6'),
};

// With TEST_VERSIONS=oldest or newest, the tests run with one of them.
const CHOSEN = { oldest: ['BullMQ 5.77'], newest: ['BullMQ 6'] }[process.env.TEST_VERSIONS]
  ?? Object.keys(VERSIONS);

// The servers of tests.
const SERVER = path.join(__dirname, 'server.js');

// Generous, as the machine may be busy. An event that never comes still fails its test.
const LIMIT = 60_000;

const ANSWERS = 50;

// A user's folder with the package, a version of BullMQ and a server.
class User {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'uv-scheduler-bullmq-'));
  require = createRequire(path.join(this.folder, 'index.js'));

  constructor(version) {
    install(this.folder);
    const modules = path.join(this.folder, 'node_modules');
    // A junction needs no privilege on Windows.
    fs.symlinkSync(VERSIONS[version], path.join(modules, 'bullmq'), 'junction');
    fs.copyFileSync(SERVER, path.join(this.folder, 'server.js'));
    Object.assign(this, this.require('bullmq'), this.require('uv-scheduler'));
    this.IdleWorker = this.require('uv-scheduler/bullmq').IdleWorker;
    // All copies of the package in a process work as one, the first, which loads a file when it is
    // watched. The tests of other files may do that in this process.
    process.once('exit', () => fs.rmSync(this.folder, { recursive: true, force: true }));
  }
}

// Waits until `isTrue()` resolves to true.
async function until(isTrue, what = isTrue) {
  const end = Date.now() + LIMIT;
  while (!(await isTrue())) {
    if (Date.now() > end) assert.fail(`this has not come to pass: ${what}`);
    await sleep(20);
  }
}

// By version.
const users = {};

let queues = 0;

// A queue of a test's own, with its workers in this process and in others.
class Fleet {
  #user;
  #redis;
  #closing;
  #children = [];

  constructor(user, redis) {
    this.#user = user;
    this.#redis = redis;
    this.queue = new user.Queue(`queue${queues++}`, { connection: redis.connection });
    // Redis goes away in some tests.
    this.queue.on('error', () => {});
    this.#closing = [this.queue];
  }

  async close() {
    this.makeCalm();
    for (const child of this.#children) (await child).kill('SIGKILL');
    await Promise.all(this.#closing.map((each) => each.close(true)));
  }

  add(options = {}) {
    return this.queue.add('job', {}, options);
  }

  addMany(count, data = {}) {
    return this.queue.addBulk(Array.from({ length: count }, () => ({ name: 'job', data })));
  }

  closeLater(closable) {
    this.#closing.push(closable);
    return closable;
  }

  worker(processor, { type = this.#user.IdleWorker, ...options } = {}) {
    const settings = { connection: this.#redis.connection, drainDelay: 1, ...options };
    return this.closeLater(new type(this.queue.name, processor, settings));
  }

  // A worker that has nothing to do and waits for jobs, in a command that blocks for `drainDelay`
  // seconds.
  async waitingWorker(processor, options) {
    const before = await this.#countBlocked();
    const made = this.worker(processor, options);
    await until(async () => (await this.#countBlocked()) > before, 'the worker waits for jobs');
    return made;
  }

  // How many connections wait for Redis to have something.
  async #countBlocked() {
    const [, count] = /^blocked_clients:(\d+)/m.exec(await this.#redis.call('INFO clients'));
    return Number(count);
  }

  // Keeps the loop busy with tasks, as a server with too many requests. Timers and I/O go on.
  makeBusy() {
    let isBusy = true;
    const task = () => {
      compute(2);
      if (isBusy) void this.#user.scheduler.postTask(task);
    };
    task();
    this.makeCalm = () => {
      isBusy = false;
    };
  }

  makeCalm = () => {};

  // Starts server.js with settings. What it sends comes as `message` events.
  fork(settings) {
    const { connection } = this.#redis;
    const all = { connection, queue: this.queue.name, ...settings };
    return this.killLater(fork(path.join(this.#user.folder, 'server.js'), [JSON.stringify(all)]));
  }

  // A process, or a promise for one.
  killLater(child) {
    this.#children.push(child);
    return child;
  }

  // Lets the workers of this process do what they should not: for so many answers of Redis.
  async letAct() {
    for (let i = 0; i < ANSWERS; i++) await this.#redis.call('PING');
  }

  state(job) {
    return this.queue.getJobState(job.id);
  }

  // The job as it is now.
  current(job) {
    return this.queue.getJob(job.id);
  }

  // `starts`: how often the job has started and was attempted.
  async assertState(wanted, job, starts) {
    assert.equal(await this.state(job), wanted);
    if (starts === undefined) return;
    const { attemptsStarted, attemptsMade } = await this.current(job);
    assert.deepEqual([attemptsStarted, attemptsMade], starts);
  }

  async untilState(wanted, job, starts) {
    await until(async () => (await this.state(job)) === wanted, `${job.name} is ${wanted}`);
    await this.assertState(wanted, job, starts);
  }

  async untilCompleted(count) {
    const isDone = async () => (await this.queue.getCompletedCount()) === count;
    await until(isDone, `${count} are completed`);
  }
}

// Defines tests for each version that is chosen. `define` gets a function that defines one, whose
// body gets a fleet of its own and the context: the user, Redis and, while a test runs, its fleet.
function describeEach(title, define) {
  for (const version of CHOSEN) {
    describe(`${title} (${version})`, function () {
      this.timeout(3 * LIMIT);
      const context = { redis: new Redis() };

      before(async () => {
        await context.redis.start();
        context.user = (users[version] ??= new User(version));
      });

      after(() => context.redis.remove());

      beforeEach(() => (context.fleet = new Fleet(context.user, context.redis)));

      afterEach(() => context.fleet.close());

      define((name, body) => it(name, () => body(context.fleet, context)), context);
    });
  }
}

module.exports = { LIMIT, VERSIONS, compute, describeEach, sleep, until };
