'use strict';

// The fate of jobs and requests when a server is stopped or told to end, and when Redis goes away,
// with versions of BullMQ, servers in processes of their own and a real Redis; and one whose
// scheduler is off.
// @lane waiting
// @host newest

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { codeBlocks, read } = require('../helpers/docs.js');
const { ExampleServer } = require('../helpers/example-servers.js');
const { FIXTURES, nodes, run } = require('../helpers/loop.js');
const { describeEach, until } = require('./bullmq');

// Short for tests: how long a lock lasts, and how often a worker looks for jobs without one.
const LOCK = 2_000;
const OPTIONS = { lockDuration: LOCK, stalledInterval: LOCK, runRetryDelay: 500 };

// Steps of 5 ms that make a job long enough to be interrupted.
const LONG = 200;

// How often a server has missed Redis and answered before Redis is back.
const MISSED = 5;

// Jobs of several pages, some of which are cut by the end of a server.
const JOBS = 40;
const PAGES = 12;

const { code: PROGRAM } = codeBlocks(read('docs/background.md')).find(({ language, code }) =>
  language === 'javascript' && code.includes('SIGTERM'));

const page = async (port) => (await fetch(`http://127.0.0.1:${port}`)).text();

describeEach('servers with IdleWorkers', (test, context) => {
  // Where jobs leave their effects.
  const file = () => path.join(context.user.folder, context.fleet.queue.name);
  const effects = () =>
    fs.existsSync(file()) ? fs.readFileSync(file(), 'utf8').trim().split('\n') : [];

  const messagesOf = (child, type) => child.messages.filter((each) => each.type === type);
  const says = (child, type) => until(() => messagesOf(child, type).length > 0, type);

  async function server(options = {}) {
    const child = context.fleet.fork({ file: file(), options: { ...OPTIONS, ...options } });
    child.messages = [];
    child.on('message', (message) => child.messages.push(message));
    await says(child, 'listening');
    child.port = messagesOf(child, 'listening')[0].port;
    return child;
  }

  // Asserts that a server answers while it misses Redis. `clear` loses the data.
  async function assertAnswersWithout(redis, child, clear = () => {}) {
    await redis.stop();
    const before = messagesOf(child, 'error').length;
    await until(async () => {
      assert.equal(await page(child.port), 'ok');
      return messagesOf(child, 'error').length >= before + MISSED;
    }, 'it misses Redis');
    clear();
    await redis.start();
  }

  const addJobs = async (count, steps = 2) => {
    const jobs = await context.fleet.addMany(count, { steps });
    return jobs.map(({ id }) => id).sort();
  };

  // A server that runs a job that takes long.
  async function running(options) {
    const child = await server(options);
    const [id] = await addJobs(1, LONG);
    await says(child, 'started');
    return { child, id };
  }

  test('take up the job of one that stands still for longer than its lock lasts', async (fleet) => {
    const { child, id } = await running({ patience: 500 });
    const second = await server();
    const until = `${file()}-goes-on`;
    child.send({ until });
    await says(second, 'started');
    fs.writeFileSync(until, '');
    await says(child, 'aborted');
    // The job is done once, by the second.
    await fleet.untilCompleted(1);
    const job = await fleet.queue.getJob(id);
    const { returnvalue, attemptsStarted, attemptsMade, stalledCounter } = job;
    const expected = [second.pid, 2, 1, 1];
    assert.deepEqual([returnvalue, attemptsStarted, attemptsMade, stalledCounter], expected);
    assert.deepEqual(effects(), [id]);
    // The first goes on with other jobs.
    second.kill('SIGKILL');
    await addJobs(1);
    await fleet.untilCompleted(2);
    assert.equal(messagesOf(child, 'started').length, 2);
  });

  test('answer requests while Redis is away, and then do the jobs', async (fleet, { redis }) => {
    const child = await server();
    const ids = await addJobs(300);
    await until(() => effects().length > 5, 'some are done');
    await assertAnswersWithout(redis, child);
    await fleet.untilCompleted(300);
    // A job whose completion did not arrive runs again.
    assert.deepEqual([...new Set(effects())].sort(), ids);
    assert(effects().length <= 301, `${effects().length} effects`);
  });

  test('go on when Redis comes back without its data', async (fleet, { redis }) => {
    const child = await server();
    await addJobs(300);
    await until(() => effects().length > 5, 'some are done');
    await assertAnswersWithout(redis, child, () => redis.clear());
    await until(async () => (await fleet.queue.getJobCountByTypes('waiting', 'active')) === 0);
    // Ids of jobs begin anew.
    const done = effects().length;
    await addJobs(3);
    await fleet.untilCompleted(3);
    await until(() => effects().length >= done + 3, 'the new ones are done');
  });

  test('start while Redis is away, say so, and begin when it is back', async (fleet, { redis }) => {
    await redis.stop();
    const child = await server();
    await says(child, 'error');
    assert.match(messagesOf(child, 'error')[0].text, /ECONNREFUSED/);
    assert.equal(await page(child.port), 'ok');
    await redis.start();
    await addJobs(1);
    await fleet.untilCompleted(1);
  });

  for (const [how, message] of [['by force', 'force'], ['at their deadline', 'deadline']]) {
    test(`are closed ${how} while Redis is away`, async (fleet, { redis }) => {
      const { child } = await running();
      await redis.stop();
      child.send(message);
      await says(child, 'closed');
      await until(() => child.exitCode === 0, 'the process has ended');
      await redis.start();
      await server();
      await fleet.untilCompleted(1);
      assert.equal(effects().length, 1);
    });
  }
});

describeEach('the server of docs/background.md', (test) => {
  test('answers its requests and gives its jobs back when it is stopped',
    async (fleet, { user, redis: { connection } }) => {
      const { host, port } = connection;
      const file = path.join(user.folder, 'server.mjs');
      fs.writeFileSync(file, PROGRAM);
      // Its first line is its port.
      const start = () => fleet.killLater(ExampleServer.start('docs', {
        cwd: user.folder, args: [file], env: { REDIS_URL: `redis://${host}:${port}` },
        address: /^\d+(?=\n)/,
      }));
      const end = async (server) => {
        assert.deepEqual(await server.terminate(), { code: 0, signal: null }, server.output);
        assert.equal(server.output, `${server.url}\n`);
      };
      const queue = fleet.closeLater(new user.Queue('reports', { connection }));
      await queue.obliterate({ force: true });
      const first = await start();
      const jobs = Array.from({ length: JOBS }, () => ({ name: 'job', data: { pages: PAGES } }));
      const added = await queue.addBulk(jobs);
      await until(async () => (await queue.getCompletedCount()) >= 3, 'some jobs are done');
      const requests = Array.from({ length: 20 }, () => page(first.url));
      assert.equal(await Promise.race(requests), 'page 1\n');
      const [answers] = await Promise.all([Promise.allSettled(requests), end(first)]);
      // Connections that had not been accepted yet are refused, as the server listens no more.
      for (const { status, value } of answers) {
        if (status === 'fulfilled') assert.equal(value, 'page 1\n');
      }
      const { active, waiting, completed } = await queue.getJobCounts();
      assert.deepEqual([active, waiting + completed], [0, JOBS]);
      const second = await start();
      await until(async () => (await queue.getCompletedCount()) === JOBS, 'all jobs are done');
      for (const { id } of added) {
        const { returnvalue, attemptsMade, stalledCounter } = await queue.getJob(id);
        assert.deepEqual([returnvalue, attemptsMade, stalledCounter], [PAGES, 1, 0]);
      }
      await end(second);
    });
});

describeEach('an IdleWorker', (test) => {
  test('works on a busy loop, outside of tasks, while the scheduler is off',
    async (fleet, { redis }) => {
      const args = [path.join(FIXTURES, 'runtime-bullmq.js'), String(redis.port)];
      const env = { ...process.env, UV_SCHEDULER_DISABLE: 'all' };
      const { code, stdout, stderr } = await run(nodes[0], args, { env });
      assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
      const givenBack = { 'busy': 0, 'no-turn': 0, 'closing': 0, 'draining': 0 };
      assert.deepEqual(JSON.parse(stdout), {
        starts: 304, signals: 304, inTask: 0, repeated: 0, backgroundFirst: 0, givenBack: 0,
        last: 'completed', idleCounts: { givenBack, discardedTime: 0, waitTime: 0 },
      });
    });
});
