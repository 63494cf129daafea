'use strict';

// The fate of jobs and requests when a server is killed or stopped, and when Redis goes away, with
// each version of BullMQ, servers in processes of their own and a real Redis.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const http = require('node:http');
const path = require('node:path');
const { describeEach, sleep, until } = require('./bullmq');

// Short for tests: how long a lock lasts, and how often a worker looks for jobs without one.
const LOCK = 1_000;
const OPTIONS = { lockDuration: LOCK, stalledInterval: LOCK, runRetryDelay: 500 };

// Steps of 5 ms that make a job long enough to be interrupted.
const LONG = 200;

// The most milliseconds that a request may take on a machine that is busy with other things. A
// server that waited for Redis would take longer.
const LIMIT_OF_REQUEST = 2_000;

const agent = new http.Agent({ keepAlive: true });

// Resolves to how many milliseconds a request takes.
function request(port) {
  const start = performance.now();
  return new Promise((resolve, reject) => {
    const options = { port, host: '127.0.0.1', agent, timeout: 10_000 };
    const sent = http.get(options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part) => (text += part));
      response.on('end', () => {
        if (text === 'ok') resolve(performance.now() - start);
        else reject(new Error(`received ${text}`));
      });
    });
    sent.on('timeout', () => sent.destroy(new Error('the request has timed out')));
    sent.on('error', reject);
  });
}

describeEach('servers with IdleWorkers', (context) => {
  const messagesOf = (child, type) => child.messages.filter((each) => each.type === type);

  async function server(options = {}) {
    const { fleet } = context;
    const settings = { file: file(), options: { ...OPTIONS, ...options } };
    const child = fleet.fork('server.js', settings);
    child.messages = [];
    child.on('message', (message) => child.messages.push(message));
    await until(() => messagesOf(child, 'listening').length > 0, 'a server listens');
    child.port = messagesOf(child, 'listening')[0].port;
    return child;
  }

  // Where jobs leave their effects.
  const file = () => path.join(context.user.folder, context.fleet.queue.name);

  function effects() {
    if (!fs.existsSync(file())) return [];
    return fs.readFileSync(file(), 'utf8').trim().split('\n');
  }

  async function addJobs(count, steps = 2, options = {}) {
    const jobs = Array.from({ length: count }, () => ({ name: 'job', data: { steps } }));
    const added = await context.fleet.queue.addBulk(jobs.map((job) => ({ ...job, opts: options })));
    return added.map(({ id }) => id).sort();
  }

  async function untilCompleted(count) {
    const { fleet } = context;
    let counts;
    await until(async () => {
      counts = await fleet.queue.getJobCounts();
      return counts.completed === count;
    }, () => `${count} are completed, of ${JSON.stringify(counts)}`);
  }

  const hasStarted = (child) => () => messagesOf(child, 'started').length > 0;

  it('share jobs, and each is done once', async () => {
    const servers = [await server(), await server()];
    const ids = await addJobs(100);
    await untilCompleted(100);
    assert.deepEqual(effects().sort(), ids);
    for (const child of servers) assert(hasStarted(child)(), 'each had some');
  });

  it('take up the job of one that was killed', async () => {
    const { fleet } = context;
    const first = await server();
    const [id] = await addJobs(1, LONG);
    await until(hasStarted(first), 'it has started');
    const second = await server();
    first.kill('SIGKILL');
    await untilCompleted(1);
    assert.deepEqual(effects(), [id]);
    assert.deepEqual(messagesOf(second, 'started').length, 1);
    const job = await fleet.queue.getJob(id);
    const { attemptsStarted, attemptsMade, stalledCounter } = job;
    assert.deepEqual([attemptsStarted, attemptsMade, stalledCounter], [2, 1, 1]);
    assert.equal(job.returnvalue, second.pid);
  });

  it('fail a job that has stalled too often', async () => {
    const { fleet } = context;
    const [id] = await addJobs(1, LONG, { attempts: 1 });
    for (let i = 0; i < 2; i++) {
      const child = await server();
      await until(hasStarted(child), 'it has started');
      child.kill('SIGKILL');
    }
    await server();
    const job = { id, name: 'job' };
    await fleet.untilState('failed', job);
    assert.match((await fleet.current(job)).failedReason, /stalled more than allowable limit/);
    assert.deepEqual(effects(), []);
  });

  it('take up the job of one that was stopped for longer than its lock lasts', async () => {
    const { fleet } = context;
    const first = await server({ patience: 500 });
    const [id] = await addJobs(1, LONG);
    await until(hasStarted(first), 'it has started');
    const second = await server();
    first.kill('SIGSTOP');
    await until(hasStarted(second), 'the other takes it up');
    first.kill('SIGCONT');
    await until(() => messagesOf(first, 'aborted').length > 0, 'the signal is aborted');
    await untilCompleted(1);
    const job = await fleet.queue.getJob(id);
    assert.equal(job.returnvalue, second.pid);
    assert.deepEqual([job.attemptsStarted, job.attemptsMade, job.stalledCounter], [2, 1, 1]);
    // The first goes on with other jobs.
    second.kill('SIGKILL');
    await addJobs(1);
    await untilCompleted(2);
    assert.equal(messagesOf(first, 'started').length, 2);
  });

  // Sends requests, one after the other, until `work` has settled. Returns the longest time.
  async function longestRequest(port, work) {
    let isDone = false;
    let longest = 0;
    const requests = (async () => {
      while (!isDone) {
        longest = Math.max(longest, await request(port));
        await sleep(20);
      }
    })();
    try {
      await Promise.race([work(), requests]);
    } finally {
      isDone = true;
    }
    await requests;
    return longest;
  }

  it('answer requests while Redis is away for 10 s, and then do the jobs', async () => {
    const child = await server();
    const ids = await addJobs(300, 2);
    await until(() => effects().length > 5, 'some are done');
    const longest = await longestRequest(child.port, async () => {
      await context.redis.stop();
      await sleep(10_000);
      await context.redis.start();
      await untilCompleted(300);
    });
    // A job whose completion did not arrive runs again.
    assert.deepEqual([...new Set(effects())].sort(), ids);
    assert(effects().length <= 301, `${effects().length} effects`);
    assert(longest < LIMIT_OF_REQUEST, `a request took ${longest} ms`);
  });

  it('go on when Redis comes back without its data', async () => {
    const { fleet } = context;
    const child = await server();
    await addJobs(300, 2);
    await until(() => effects().length > 5, 'some are done');
    const longest = await longestRequest(child.port, async () => {
      await context.redis.stop();
      context.redis.clear();
      await context.redis.start();
      await until(async () => {
        const counts = await fleet.queue.getJobCounts('waiting', 'active');
        return counts.waiting + counts.active === 0;
      }, 'the queue is empty');
      // Ids of jobs begin anew.
      const done = effects().length;
      await addJobs(3);
      await untilCompleted(3);
      await until(() => effects().length >= done + 3, 'the new ones are done');
    });
    assert(longest < LIMIT_OF_REQUEST, `a request took ${longest} ms`);
  });

  it('start while Redis is away, say so, and begin when it is there', async () => {
    const { fleet } = context;
    await context.redis.stop();
    const child = await server();
    await until(() => messagesOf(child, 'error').length > 0, 'an error is reported');
    assert.match(messagesOf(child, 'error')[0].text, /ECONNREFUSED/);
    await request(child.port);
    await context.redis.start();
    await addJobs(1);
    await untilCompleted(1);
    assert.equal(await fleet.queue.getCompletedCount(), 1);
  });

  it('can be closed by force while Redis is away', async () => {
    const child = await server();
    await addJobs(1, LONG);
    await until(hasStarted(child), 'it has started');
    await context.redis.stop();
    child.send('force');
    await until(() => messagesOf(child, 'closed').length > 0, 'it is closed');
    await until(() => child.exitCode === 0, 'the process has ended');
    await context.redis.start();
    await server();
    await untilCompleted(1);
    assert.equal(effects().length, 1);
  });

  it('are closed at their deadline while Redis is away', async () => {
    const child = await server();
    await addJobs(1, LONG);
    await until(hasStarted(child), 'it has started');
    await context.redis.stop();
    child.send('deadline');
    await until(() => messagesOf(child, 'closed').length > 0, 'it is closed');
    await until(() => child.exitCode === 0, 'the process has ended');
    await context.redis.start();
  });

  it('give back what they run when they are closed', async () => {
    const { fleet } = context;
    const first = await server();
    const [id] = await addJobs(1, 2 * LONG);
    await until(hasStarted(first), 'it has started');
    first.send('close');
    await until(() => messagesOf(first, 'closed').length > 0, 'it is closed');
    const job = { id, name: 'job' };
    assert.equal(await fleet.state(job), 'waiting');
    await until(() => first.exitCode === 0, 'the process has ended');
    await server();
    await fleet.untilState('completed', job);
    assert.deepEqual(effects(), [id]);
    assert.deepEqual(await fleet.starts(job), { attemptsStarted: 2, attemptsMade: 1 });
  });
});
