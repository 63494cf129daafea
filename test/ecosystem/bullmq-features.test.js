'use strict';

// The promises of BullMQ's own documentation about a worker, with an IdleWorker of each version of
// BullMQ and a real Redis: rate limits, priorities, delayed and repeated jobs, flows, and closing.

const assert = require('node:assert/strict');
const { once } = require('node:events');
const { describeEach, sleep, until } = require('./bullmq');

// Long enough for a worker to do what it should not.
const WHILE = 500;

describeEach('through an IdleWorker', (context) => {
  it('a limiter limits how many jobs start', async () => {
    const { fleet } = context;
    const times = [];
    const limiter = { max: 3, duration: 700 };
    const jobs = Array.from({ length: 9 }, () => ({ name: 'job', data: {} }));
    const added = await fleet.queue.addBulk(jobs);
    fleet.worker(() => times.push(Date.now()), { limiter });
    await fleet.untilState('completed', added.at(-1));
    assert.equal(times.length, 9);
    // A window opens with the first fetch in it, a little before that job runs.
    assert(times[8] - times[0] >= 2 * 700 - 100, `${times[8] - times[0]} ms`);
  });

  it('a processor can limit the rate itself', async () => {
    const { fleet } = context;
    let runs = 0;
    const worker = fleet.worker(async () => {
      if (runs++ > 0) return 'done';
      await fleet.queue.rateLimit(300);
      throw context.user.Worker.RateLimitError();
    });
    const job = await fleet.queue.add('job', {});
    const failures = [];
    worker.on('failed', (failed, error) => failures.push(error.message));
    await fleet.untilState('completed', job);
    assert.equal(runs, 2);
    assert.deepEqual(failures, []);
    assert.deepEqual(await fleet.starts(job), { attemptsStarted: 2, attemptsMade: 1 });
  });

  it('jobs run by priority', async () => {
    const { fleet } = context;
    const log = [];
    const jobs = [3, 1, 2, 1].map((priority, i) => {
      return { name: `${priority}.${i}`, data: {}, opts: { priority } };
    });
    await fleet.queue.addBulk(jobs);
    fleet.worker((job) => log.push(job.name));
    await until(() => log.length === 4, 'all have run');
    assert.deepEqual(log, ['1.1', '1.3', '2.2', '3.0']);
  });

  it('a delayed job runs when its delay has passed', async () => {
    const { fleet } = context;
    let started;
    await fleet.waitingWorker(() => {
      started = Date.now();
    });
    const added = Date.now();
    const job = await fleet.queue.add('job', {}, { delay: 600 });
    await fleet.untilState('completed', job);
    assert(started - added >= 600, `${started - added} ms`);
  });

  it('a processor can delay its job', async () => {
    const { fleet } = context;
    const { DelayedError } = context.user;
    let runs = 0;
    fleet.worker(async (job, token) => {
      if (runs++ > 0) return 'done';
      await job.moveToDelayed(Date.now() + 200, token);
      throw new DelayedError();
    });
    const job = await fleet.queue.add('job', {});
    await fleet.untilState('completed', job);
    assert.equal(runs, 2);
  });

  it('a scheduler repeats jobs', async () => {
    const { fleet } = context;
    let runs = 0;
    fleet.worker(() => {
      runs++;
    });
    await fleet.queue.upsertJobScheduler('every', { every: 200 }, { name: 'job' });
    await until(() => runs >= 4, 'it has run four times');
    assert.equal(await fleet.queue.removeJobScheduler('every'), true);
  });

  it('the parent of a flow runs after its children, with their results', async () => {
    const { fleet, user, redis } = context;
    const { connection } = redis;
    const producer = fleet.closeLater(new user.FlowProducer({ connection }));
    const log = [];
    fleet.worker(async (job) => {
      await user.scheduler.yield();
      log.push(job.name);
      if (job.name !== 'parent') return job.data.value;
      return Object.values(await job.getChildrenValues()).sort();
    });
    const queueName = fleet.queue.name;
    const children = [1, 2, 3].map((value) => ({ name: 'child', queueName, data: { value } }));
    const { job } = await producer.add({ name: 'parent', queueName, data: {}, children });
    await fleet.untilState('completed', job);
    assert.deepEqual(log, ['child', 'child', 'child', 'parent']);
    assert.deepEqual((await fleet.current(job)).returnvalue, [1, 2, 3]);
  });

  it('a processor keeps what it has reached in its job', async () => {
    const { fleet } = context;
    const { scheduler } = context.user;
    const log = [];
    const worker = fleet.worker(async (job) => {
      for (let step = job.data.step ?? 0; step < 4; step++) {
        log.push(step);
        await job.updateData({ step: step + 1 });
        if (log.length === 2) fleet.makeBusy();
        await scheduler.yield();
      }
    }, { patience: 300 });
    const given = once(worker, 'givenBack');
    const job = await fleet.queue.add('job', {});
    await given;
    fleet.makeCalm();
    await fleet.untilState('completed', job);
    assert.deepEqual(log, [0, 1, 2, 3]);
  });

  it('several jobs wait for I/O at once', async () => {
    const { fleet } = context;
    let running = 0;
    let most = 0;
    fleet.worker(async () => {
      most = Math.max(most, ++running);
      await sleep(200);
      running--;
    }, { concurrency: 4 });
    const jobs = Array.from({ length: 8 }, () => ({ name: 'job', data: {} }));
    const added = await fleet.queue.addBulk(jobs);
    await fleet.untilState('completed', added.at(-1));
    assert.equal(most, 4);
  });
});

describeEach('close() of an IdleWorker', (context) => {
  async function running(options = {}) {
    const { fleet, user } = context;
    const log = [];
    const worker = fleet.worker(async (job, token, signal) => {
      log.push('started');
      const end = Date.now() + 1_000;
      try {
        while (Date.now() < end) await user.scheduler.wait(5);
        log.push('done');
      } catch (error) {
        log.push(error === signal.reason);
        throw error;
      }
    }, options);
    const job = await fleet.queue.add('job', {}, { attempts: 1 });
    await until(() => log.length > 0, 'the job runs');
    return { worker, job, log };
  }

  it('waits for the job that runs', async () => {
    const { fleet } = context;
    const { worker, job, log } = await running();
    await worker.close();
    assert.deepEqual(log, ['started', 'done']);
    assert.equal(await fleet.state(job), 'completed');
  });

  it('gives it back after the time that was given', async () => {
    const { fleet } = context;
    const { worker, job, log } = await running();
    await worker.close({ giveBackAfter: 100 });
    assert.deepEqual(log, ['started', true]);
    assert.equal(await fleet.state(job), 'waiting');
    assert.deepEqual(await fleet.starts(job), { attemptsStarted: 1, attemptsMade: 0 });
  });

  it('gives it back if it gets no turn', async () => {
    const { fleet } = context;
    const { worker, job, log } = await running({ patience: 300 });
    fleet.makeBusy();
    await worker.close();
    assert.deepEqual(log, ['started', true]);
    assert.equal(await fleet.state(job), 'waiting');
  });

  it('gives a job back at once that has not started', async () => {
    const { fleet } = context;
    const log = [];
    const options = { maxGiveBacks: 0 };
    const worker = await fleet.waitingWorker(() => log.push('started'), options);
    fleet.makeBusy();
    const job = await fleet.queue.add('job', {});
    await fleet.untilState('active', job);
    await worker.close();
    assert.equal(await fleet.state(job), 'waiting');
    assert.deepEqual(log, []);
  });

  it('waits for nothing if it is forced to, and aborts the signal', async () => {
    const { fleet } = context;
    const { worker, job, log } = await running();
    await worker.close(true);
    await until(() => log.length > 1, 'the job ends');
    assert.deepEqual(log, ['started', true]);
    await sleep(WHILE);
    // Its lock has yet to expire.
    assert.equal(await fleet.state(job), 'active');
  });

  it('waits no longer than `forceAfter` for a processor that never settles', async () => {
    const { fleet } = context;
    let hasStarted = false;
    const worker = fleet.worker(() => {
      hasStarted = true;
      return new Promise(() => {});
    }, { lockDuration: 1_000, stalledInterval: 500, concurrency: 2 });
    const closings = [];
    worker.on('closed', () => closings.push('closed'));
    const job = await fleet.queue.add('job', {});
    await until(() => hasStarted, 'the job runs');
    await worker.close({ giveBackAfter: 50, forceAfter: 300 });
    assert.equal(await fleet.state(job), 'active');
    assert.deepEqual(closings, ['closed']);
    assert.equal(worker.isRunning(), false);
    // Nor does the scheduler wait for it any more.
    await context.user.drain();
    fleet.worker(() => 'other', { stalledInterval: 500 });
    await fleet.untilState('completed', job);
    assert.equal((await fleet.current(job)).returnvalue, 'other');
    assert.equal((await fleet.current(job)).stalledCounter, 1);
  });

  it('ends at once if it is forced to while it waits', async () => {
    const { fleet } = context;
    let hasStarted = false;
    const worker = fleet.worker(() => {
      hasStarted = true;
      return new Promise(() => {});
    });
    const job = await fleet.queue.add('job', {});
    await until(() => hasStarted, 'the job runs');
    const closed = worker.close();
    await worker.close(true);
    await closed;
    assert.equal(await fleet.state(job), 'active');
  });

  it('does not wait for an idle loop', async () => {
    const { fleet } = context;
    fleet.makeBusy();
    const worker = fleet.worker(() => {});
    const job = await fleet.queue.add('job', {});
    await worker.waitUntilReady();
    await sleep(100);
    await worker.close();
    assert.equal(await fleet.state(job), 'waiting');
    assert.equal((await fleet.starts(job)).attemptsStarted, 0);
  });

  it('refuses what is neither a boolean nor an object with times', async () => {
    const { fleet } = context;
    const worker = fleet.worker(() => {});
    for (const [options, code] of [
      [1, 'ERR_INVALID_ARG_TYPE'],
      [{ giveBackAfter: '1' }, 'ERR_INVALID_ARG_TYPE'],
      [{ giveBackAfter: -1 }, 'ERR_OUT_OF_RANGE'],
      [{ forceAfter: NaN }, 'ERR_OUT_OF_RANGE'],
      [{ time: 1 }, 'ERR_INVALID_ARG_VALUE'],
    ]) {
      await assert.rejects(worker.close(options), { name: 'TypeError', code });
    }
    assert.equal(worker.isRunning(), true);
    await worker.close(null);
  });
});
