'use strict';

// Which jobs an IdleWorker gives back to the queue, and what becomes of them, with each version of
// BullMQ and a real Redis.

const assert = require('node:assert/strict');
const { describeEach, sleep, until } = require('./bullmq');

// Long enough for a worker to do what it should not.
const WHILE = 500;

// Milliseconds, short for tests.
const PATIENCE = 400;

describeEach('an IdleWorker that gives jobs back', (context) => {
  // A processor that takes `steps` turns, and logs its starts and ends.
  function stepping(log, steps = 1, onStart = () => {}) {
    const { scheduler } = context.user;
    return async (job, token, signal) => {
      log.push('started');
      onStart(signal);
      for (let i = 0; i < steps; i++) await scheduler.yield();
      log.push('done');
    };
  }

  // Resolves when a worker has given a job back.
  function givenBack(worker) {
    return new Promise((resolve) => {
      worker.once('givenBack', (job, reason) => resolve({ id: job.id, reason, at: Date.now() }));
    });
  }

  it('does so with one that arrives when the loop has become busy', async () => {
    const { fleet } = context;
    const log = [];
    const worker = await fleet.waitingWorker(stepping(log));
    fleet.makeBusy();
    const given = givenBack(worker);
    const job = await fleet.queue.add('job', {});
    const { id, reason } = await given;
    assert.equal(id, job.id);
    assert.match(reason, /busy/);
    await sleep(WHILE);
    assert.equal(await fleet.state(job), 'waiting');
    assert.deepEqual(await fleet.starts(job), { attemptsStarted: 1, attemptsMade: 0 });
    fleet.makeCalm();
    await fleet.untilState('completed', job);
    assert.deepEqual(log, ['started', 'done']);
    assert.deepEqual(await fleet.starts(job), { attemptsStarted: 2, attemptsMade: 1 });
  });

  it('wakes another worker with it', async () => {
    const { fleet } = context;
    const log = [];
    const worker = await fleet.waitingWorker(stepping(log), { drainDelay: 60 });
    // Redis serves first who has waited longest.
    const other = await fleet.waitingWorker(() => 'other', {
      type: context.user.Worker,
      drainDelay: 60,
    });
    fleet.makeBusy();
    const given = givenBack(worker);
    const job = await fleet.queue.add('job', {});
    await given;
    await fleet.untilState('completed', job);
    assert.equal((await fleet.current(job)).returnvalue, 'other');
    assert.equal(other.isRunning(), true);
    assert.deepEqual(log, []);
  });

  it('does so with one that has got no turn for as long as its patience', async () => {
    const { fleet } = context;
    const log = [];
    const worker = fleet.worker(stepping(log, 3, () => fleet.makeBusy()), { patience: PATIENCE });
    const started = Date.now();
    const given = givenBack(worker);
    const job = await fleet.queue.add('job', {}, { attempts: 1 });
    const { at, reason } = await given;
    assert.match(reason, /no turn for 400 ms/);
    assert(at - started >= PATIENCE);
    assert.equal(await fleet.state(job), 'waiting');
    assert.deepEqual(await fleet.starts(job), { attemptsStarted: 1, attemptsMade: 0 });
    assert.deepEqual(log, ['started']);
  });

  it('keeps the lock until the processor has settled', async () => {
    const { fleet } = context;
    const { scheduler } = context.user;
    const log = [];
    const options = { patience: PATIENCE, lockDuration: 1_000 };
    const worker = fleet.worker(async (job, token, signal) => {
      fleet.makeBusy();
      await scheduler.yield().catch((error) => log.push(error.name, error === signal.reason));
      // Longer than the lock lasts without renewal.
      await sleep(2_000);
      log.push(await fleet.state(job));
      return 'settled';
    }, options);
    const given = givenBack(worker);
    const job = await fleet.queue.add('job', {});
    await given;
    assert.deepEqual(log, ['AbortError', true, 'active']);
    assert.equal(await fleet.state(job), 'waiting');
    assert.deepEqual(await fleet.starts(job), { attemptsStarted: 1, attemptsMade: 0 });
  });

  it('fetches nothing for as long as its patience then', async () => {
    const { fleet } = context;
    const times = [];
    let at;
    const worker = fleet.worker(stepping([], 1, (signal) => {
      times.push(Date.now());
      if (times.length > 1) return;
      fleet.makeBusy();
      signal.addEventListener('abort', () => {
        at = Date.now();
      });
    }), { patience: PATIENCE });
    const given = givenBack(worker);
    const job = await fleet.queue.add('job', {});
    await given;
    fleet.makeCalm();
    await fleet.untilState('completed', job);
    assert.equal(times.length, 2);
    assert(times[1] - at >= PATIENCE - 5, `it came back after ${times[1] - at} ms`);
    assert.deepEqual(await fleet.starts(job), { attemptsStarted: 2, attemptsMade: 1 });
  });

  it('puts a job with a priority before others of its priority', async () => {
    const { fleet } = context;
    const log = [];
    const worker = fleet.worker(async (job) => {
      log.push(job.name);
      if (log.length === 1) fleet.makeBusy();
      await context.user.scheduler.yield();
    }, { patience: PATIENCE });
    const given = givenBack(worker);
    const names = ['first', 'second', 'third'];
    const jobs = names.map((name) => ({ name, data: {}, opts: { priority: 5 } }));
    const added = await fleet.queue.addBulk(jobs);
    await given;
    fleet.makeCalm();
    await fleet.untilState('completed', added[2]);
    assert.deepEqual(log, ['first', 'first', 'second', 'third']);
  });

  it('does so only as often as maxGiveBacks says', async () => {
    const { fleet } = context;
    const options = { patience: PATIENCE, maxGiveBacks: 1 };
    let starts = 0;
    const worker = fleet.worker(stepping([], 1, () => {
      starts++;
      fleet.makeBusy();
    }), options);
    const given = givenBack(worker);
    const job = await fleet.queue.add('job', {});
    await given;
    fleet.makeCalm();
    await until(() => starts === 2, 'it is started again');
    await sleep(3 * PATIENCE);
    assert.equal(await fleet.state(job), 'active');
    fleet.makeCalm();
    await fleet.untilState('completed', job);
    assert.deepEqual(await fleet.starts(job), { attemptsStarted: 2, attemptsMade: 1 });
  });

  for (const [starts, state] of [[9, 'waiting'], [10, 'active']]) {
    it(`by default leaves a job ${state} that was given back ${starts} times`, async () => {
      const { fleet, redis } = context;
      await fleet.waitingWorker(() => {});
      await fleet.queue.pause();
      const job = await fleet.queue.add('job', {});
      await redis.call(`HSET bull:${fleet.queue.name}:${job.id} ats ${starts}`);
      fleet.makeBusy();
      await fleet.queue.resume();
      await until(async () => (await fleet.starts(job)).attemptsStarted > starts, 'it starts');
      await sleep(WHILE);
      assert.equal(await fleet.state(job), state);
      fleet.makeCalm();
      await fleet.untilState('completed', job);
    });
  }

  it('does not do so with one that waits for I/O or holds the loop itself', async () => {
    const { fleet } = context;
    const log = [];
    const worker = fleet.worker(async () => {
      await sleep(3 * PATIENCE);
      const end = Date.now() + 3 * PATIENCE;
      while (Date.now() < end);
      await context.user.scheduler.yield();
      log.push('done');
    }, { patience: PATIENCE });
    worker.on('givenBack', () => log.push('given back'));
    await fleet.untilState('completed', await fleet.queue.add('job', {}));
    assert.deepEqual(log, ['done']);
  });

  it('follows the patience of each of two queues', async () => {
    const { fleet, user, redis } = context;
    const { connection } = redis;
    const name = `${fleet.queue.name}-patient`;
    const other = fleet.closeLater(new user.Queue(name, { connection }));
    const log = [];
    const quick = fleet.worker(stepping([], 3), { patience: PATIENCE });
    fleet.worker(stepping(log, 3, () => fleet.makeBusy()), { name, patience: 20 * PATIENCE });
    // The jobs of both queues have begun when the loop becomes busy.
    const given = givenBack(quick);
    const impatient = await fleet.queue.add('impatient', {});
    const patient = await other.add('patient', {});
    await until(() => log.length > 0, 'the patient job has begun');
    const again = await fleet.queue.add('again', {});
    if ((await fleet.state(impatient)) === 'active') await given;
    await sleep(3 * PATIENCE);
    assert.equal(await other.getJobState(patient.id), 'active');
    assert.equal(await fleet.state(again), 'waiting');
    fleet.makeCalm();
    await until(async () => (await other.getJobState(patient.id)) === 'completed', 'patient');
    await fleet.untilState('completed', again);
    assert.deepEqual(log, ['started', 'done']);
  });

  it('does so with what a draining of the scheduler refuses', async () => {
    const { fleet, user } = context;
    // The worker fetches nothing while the scheduler drains, so its command has to last until a job
    // comes.
    const worker = await fleet.waitingWorker(() => {}, { drainDelay: 60 });
    const { promise, resolve } = withResolvers();
    const request = user.scheduler.postTask(() => promise);
    const drained = user.drain();
    const given = givenBack(worker);
    const job = await fleet.queue.add('job', {});
    assert.match((await given).reason, /drain/);
    resolve();
    await request;
    await drained;
    await fleet.untilState('completed', job);
    assert.deepEqual(await fleet.starts(job), { attemptsStarted: 2, attemptsMade: 1 });
  });

  it('aborts the signal of a job whose lock is lost, and leaves the job alone', async () => {
    const { fleet } = context;
    const { scheduler } = context.user;
    const log = [];
    const worker = fleet.worker(async (job, token, signal) => {
      log.push(job.attemptsStarted);
      if (log.length > 1) return 'second';
      const name = `bull:${fleet.queue.name}:${job.id}:lock`;
      await context.redis.call(`SET ${name} another`);
      while (!signal.aborted) await scheduler.wait(20);
      return 'never';
    }, { lockDuration: 1_000 });
    const errors = [];
    worker.on('error', ({ message }) => errors.push(message));
    worker.on('givenBack', () => log.push('given back'));
    const job = await fleet.queue.add('job', {});
    await until(() => errors.length > 0, 'the lock is lost');
    assert.match(errors[0], /could not renew lock/);
    await sleep(WHILE);
    assert.deepEqual(log, [1]);
    // The job belongs to another worker.
    assert.equal(await fleet.state(job), 'active');
    assert.deepEqual(await fleet.starts(job), { attemptsStarted: 1, attemptsMade: 0 });
    assert.equal(errors.length, 1);
  });
});

function withResolvers() {
  let resolve;
  const promise = new Promise((fulfil) => {
    resolve = fulfil;
  });
  return { promise, resolve };
}
