'use strict';

// `uv-scheduler/bullmq` with each version of BullMQ and a real Redis: which jobs an IdleWorker
// fetches, and how it runs them.

const assert = require('node:assert/strict');
const { describeEach, sleep, until } = require('./bullmq');

// Milliseconds after which a worker looks again whether there are jobs.
const POLL = 5_000;

// Long enough for a worker to do what it should not.
const WHILE = 500;

describeEach('an IdleWorker', (context) => {
  describe('runs jobs', () => {
    it('in background tasks, also when they go on after a yield', async () => {
      const { fleet } = context;
      const log = [];
      const { scheduler } = context.user;
      fleet.worker(async () => {
        log.push('started');
        void scheduler.postTask(() => log.push('visible 1'));
        await scheduler.yield();
        void scheduler.postTask(() => log.push('visible 2'));
        await scheduler.yield();
        log.push('done');
      });
      await fleet.untilState('completed', await fleet.queue.add('job', {}));
      assert.deepEqual(log, ['started', 'visible 1', 'visible 2', 'done']);
    });

    it('with the arguments of BullMQ and a signal', async () => {
      const { fleet } = context;
      let seen;
      const made = fleet.worker(function (job, token, signal) {
        seen = [job.data, typeof token, signal instanceof AbortSignal, signal.aborted];
        return { value: job.data.value + 1 };
      });
      const job = await fleet.queue.add('job', { value: 1 });
      await fleet.untilState('completed', job);
      assert.deepEqual(seen, [{ value: 1 }, 'string', true, false]);
      assert.deepEqual((await fleet.current(job)).returnvalue, { value: 2 });
      assert(made instanceof context.user.Worker);
    });

    it('that return nothing', async () => {
      const { fleet } = context;
      fleet.worker(() => {});
      const job = await fleet.queue.add('job', {});
      await fleet.untilState('completed', job);
      assert.equal((await fleet.current(job)).returnvalue, null);
    });

    for (const [how, processor] of [
      ['throw', () => { throw new Error('refused'); }],
      ['reject', async () => { throw new Error('refused'); }],
    ]) {
      it(`that ${how}, as often as their attempts say`, async () => {
        const { fleet } = context;
        const events = [];
        const made = fleet.worker(processor);
        made.on('failed', (job, error) => events.push([job.attemptsMade, error.message]));
        const job = await fleet.queue.add('job', {}, { attempts: 3, backoff: 20 });
        await fleet.untilState('failed', job);
        assert.deepEqual(events, [[1, 'refused'], [2, 'refused'], [3, 'refused']]);
        assert.deepEqual(await fleet.starts(job), { attemptsStarted: 3, attemptsMade: 3 });
      });
    }

    it('10,000 of them, each once', async () => {
      const { fleet } = context;
      const counts = new Map();
      const jobs = Array.from({ length: 10_000 }, () => ({ name: 'job', data: {} }));
      const ids = (await fleet.queue.addBulk(jobs)).map(({ id }) => id);
      let drained = 0;
      const made = fleet.worker((job) => {
        counts.set(job.id, (counts.get(job.id) ?? 0) + 1);
      });
      made.on('drained', () => drained++);
      await until(() => drained > 0, 'the queue is empty');
      await until(async () => (await fleet.queue.getActiveCount()) === 0, 'no job is active');
      assert.deepEqual([...counts.keys()].sort(), ids.sort());
      assert.deepEqual([...new Set(counts.values())], [1]);
      assert.equal(await fleet.queue.getCompletedCount(), 10_000);
    });

    it('as many at once as the concurrency says, also if fewer wait', async () => {
      const { fleet } = context;
      const counts = new Map();
      const jobs = Array.from({ length: 15 }, () => ({ name: 'job', data: {} }));
      await fleet.queue.addBulk(jobs);
      const start = performance.now();
      const worker = fleet.worker((job) => {
        counts.set(job.id, (counts.get(job.id) ?? 0) + 1);
      }, { concurrency: 50, drainDelay: POLL / 1000, lockDuration: 2_000, stalledInterval: 500 });
      worker.on('stalled', (id) => counts.set(id, 'stalled'));
      await until(async () => (await fleet.queue.getCompletedCount()) === 15, 'all are completed');
      assert(performance.now() - start < POLL, `${performance.now() - start} ms`);
      assert.deepEqual([...counts.values()], Array(15).fill(1));
    });

    it('one after the other beneath a global limit, without waiting for a poll', async () => {
      const { fleet } = context;
      await fleet.queue.setGlobalConcurrency(2);
      const jobs = Array.from({ length: 12 }, () => ({ name: 'job', data: {} }));
      await fleet.queue.addBulk(jobs);
      let running = 0;
      let most = 0;
      const start = performance.now();
      fleet.worker(async () => {
        most = Math.max(most, ++running);
        await sleep(20);
        running--;
      }, { concurrency: 4, drainDelay: POLL / 1000 });
      await until(async () => (await fleet.queue.getCompletedCount()) === 12, 'all are completed');
      assert(performance.now() - start < POLL, `${performance.now() - start} ms`);
      assert.equal(most, 2);
    });

    it('that arrive while another one computes, at once', async () => {
      const { fleet } = context;
      const { scheduler } = context.user;
      const log = [];
      let isOver = false;
      const worker = fleet.worker(async (job) => {
        log.push(job.name);
        if (job.name === 'short') isOver = true;
        while (!isOver) {
          const end = performance.now() + 4;
          while (performance.now() < end);
          await scheduler.yield();
        }
      }, { concurrency: 2 });
      worker.on('givenBack', () => log.push('given back'));
      const long = await fleet.queue.add('long', {});
      await until(() => log.length > 0, 'the long job computes');
      await fleet.queue.add('short', {});
      await fleet.untilState('completed', long);
      assert.deepEqual(log, ['long', 'short']);
    });

    it('but not those that are cancelled before their first turn: they fail', async () => {
      const { fleet } = context;
      const log = [];
      const worker = await fleet.waitingWorker((job) => log.push(job.name));
      fleet.makeBusy();
      worker.on('active', ({ id }) => setImmediate(() => worker.cancelJob(id, 'nobody wants it')));
      const job = await fleet.queue.add('job', {}, { attempts: 1 });
      await fleet.untilState('failed', job);
      assert.match((await fleet.current(job)).failedReason, /cancelled: nobody wants it/);
      assert.deepEqual(await fleet.starts(job), { attemptsStarted: 1, attemptsMade: 1 });
      assert.deepEqual(log, []);
    });

    it('and can cancel them', async () => {
      const { fleet } = context;
      const made = fleet.worker((job, token, signal) => new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      }));
      const job = await fleet.queue.add('job', {});
      await fleet.untilState('active', job);
      await until(() => made.cancelJob(job.id));
      await fleet.untilState('failed', job);
      assert.deepEqual(await fleet.starts(job), { attemptsStarted: 1, attemptsMade: 1 });
    });
  });

  describe('reports', () => {
    it('once a kind of job that holds the loop', async () => {
      const { fleet } = context;
      const warnings = [];
      const listen = (warning) => warnings.push(warning);
      process.on('warning', listen);
      fleet.worker((job) => {
        const end = performance.now() + job.data.milliseconds;
        while (performance.now() < end);
      });
      const jobs = [
        { name: 'short', data: { milliseconds: 1 } },
        { name: 'long', data: { milliseconds: 700 } },
        { name: 'long', data: { milliseconds: 700 } },
      ];
      const added = await fleet.queue.addBulk(jobs);
      await fleet.untilState('completed', added[2]);
      // Warnings come in a tick of their own.
      await until(() => warnings.length > 0, 'a warning');
      process.off('warning', listen);
      const seen = warnings.map(({ name, code }) => ({ name, code }));
      const code = 'UV_SCHEDULER_LONG_JOB';
      assert.deepEqual(seen, [{ name: 'UvSchedulerWarning', code }]);
      const { message } = warnings[0];
      assert.match(message, /^A job 'long' of the queue 'queue\d+' has blocked .* for \d{3,} ms/);
    });
  });

  describe('fetches', () => {
    it('nothing while the loop is busy', async () => {
      const { fleet } = context;
      fleet.makeBusy();
      fleet.worker(() => {});
      const job = await fleet.queue.add('job', {});
      await sleep(WHILE);
      assert.equal(await fleet.state(job), 'waiting');
      assert.equal((await fleet.starts(job)).attemptsStarted, 0);
      fleet.makeCalm();
      await fleet.untilState('completed', job);
      assert.deepEqual(await fleet.starts(job), { attemptsStarted: 1, attemptsMade: 1 });
    });

    it('no job with the completion of the last one', async () => {
      const { fleet } = context;
      const jobs = [await fleet.queue.add('first', {}), await fleet.queue.add('second', {})];
      fleet.worker((job) => {
        if (job.name === 'first') fleet.makeBusy();
      });
      await fleet.untilState('completed', jobs[0]);
      await sleep(WHILE);
      assert.equal(await fleet.state(jobs[1]), 'waiting');
      assert.equal((await fleet.starts(jobs[1])).attemptsStarted, 0);
      fleet.makeCalm();
      await fleet.untilState('completed', jobs[1]);
    });

    it('by a command that blocks, and not again and again, from an empty queue', async () => {
      const { fleet } = context;
      const made = await fleet.waitingWorker(() => {}, { drainDelay: 2 });
      const before = await context.redis.commands();
      await sleep(5_000);
      const after = await context.redis.commands();
      const calls = (name) => (after[name] ?? 0) - (before[name] ?? 0);
      assert(calls('bzpopmin') >= 1, 'it waits');
      assert(calls('bzpopmin') <= 4, `${calls('bzpopmin')} blocking commands in 5 s`);
      assert(calls('evalsha') <= 5, `${calls('evalsha')} scripts in 5 s`);
      assert.equal(made.isRunning(), true);
    });

    it('after a pause that began while the loop was busy', async () => {
      const { fleet } = context;
      fleet.makeBusy();
      const made = fleet.worker(() => {});
      const job = await fleet.queue.add('job', {});
      await made.waitUntilReady();
      await made.pause();
      fleet.makeCalm();
      await sleep(WHILE);
      assert.equal(await fleet.state(job), 'waiting');
      await made.resume();
      await fleet.untilState('completed', job);
    });
  });
});
