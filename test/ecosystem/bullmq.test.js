'use strict';

// `uv-scheduler/bullmq` with versions of BullMQ and a real Redis: which jobs an IdleWorker fetches,
// how it runs them, which it gives back, how it is closed, and what the exporters show of it.
// bullmq-scenarios.test.js compares it with a Worker in what both do: attempts, delays, priorities
// and limits.

const assert = require('node:assert/strict');
const {
  AggregationTemporality, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader,
} = require('@opentelemetry/sdk-metrics');
const { Registry } = require('prom-client');
const { instrumentTasks } = require('uv-scheduler/opentelemetry');
const { collectTaskMetrics } = require('uv-scheduler/prometheus');
const { compute, describeEach, sleep, until } = require('./bullmq');

// Milliseconds after which a worker looks again whether there are jobs.
const POLL = 5_000;

// Long enough for a worker to do what it should not.
const WHILE = 500;

// Milliseconds, short for tests.
const PATIENCE = 400;

// How often a job has started and was attempted: once, again after it was given back, or only given
// back.
const ONCE = [1, 1];
const AGAIN = [2, 1];
const GIVEN = [1, 0];

// Resolves when a worker has given a job back.
const givenBack = (worker) => new Promise((resolve) => {
  worker.once('givenBack', ({ id }, reason) => resolve({ id, reason, at: Date.now() }));
});

// A processor that takes `steps` turns, and logs its starts and ends.
const stepping = ({ scheduler }, log, steps = 1, onStart = () => {}) =>
  async (job, token, signal) => {
    log.push('started');
    onStart(signal);
    for (let i = 0; i < steps; i++) await scheduler.yield();
    log.push('done');
  };

describeEach('an IdleWorker runs jobs', (test) => {
  test('in background tasks, also when they go on after a yield', async (fleet, { user }) => {
    const { scheduler } = user;
    const log = [];
    fleet.worker(async () => {
      log.push('started');
      void scheduler.postTask(() => log.push('visible 1'));
      await scheduler.yield();
      void scheduler.postTask(() => log.push('visible 2'));
      await scheduler.yield();
      log.push('done');
    });
    await fleet.untilState('completed', await fleet.add());
    assert.deepEqual(log, ['started', 'visible 1', 'visible 2', 'done']);
  });

  test('with the arguments of BullMQ and a signal', async (fleet, { user }) => {
    const seen = [];
    const made = fleet.worker((job, token, signal) => {
      seen.push([job.data, typeof token, signal instanceof AbortSignal, signal.aborted]);
      return job.data.value && { value: job.data.value + 1 };
    });
    const jobs = [await fleet.add({}, { value: 1 }), await fleet.add()];
    await fleet.untilState('completed', jobs[0]);
    await fleet.untilState('completed', jobs[1]);
    assert.deepEqual(seen[0], [{ value: 1 }, 'string', true, false]);
    const results = await Promise.all(jobs.map((job) => fleet.current(job)));
    assert.deepEqual(results.map(({ returnvalue }) => returnvalue), [{ value: 2 }, null]);
    assert(made instanceof user.Worker);
  });

  for (const [how, processor] of [
    ['throw', () => { throw new Error('refused'); }],
    ['reject', async () => { throw new Error('refused'); }],
  ]) {
    test(`that ${how}, as often as their attempts say`, async (fleet) => {
      const events = [];
      const made = fleet.worker(processor);
      made.on('failed', (job, error) => events.push([job.attemptsMade, error.message]));
      const job = await fleet.add({ attempts: 3, backoff: 20 });
      await fleet.untilState('failed', job, [3, 3]);
      assert.deepEqual(events, [[1, 'refused'], [2, 'refused'], [3, 'refused']]);
    });
  }

  test('10,000 of them, each once', async (fleet) => {
    const counts = new Map();
    const ids = (await fleet.addMany(10_000)).map(({ id }) => id);
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

  test('as many at once as the concurrency says, also if fewer wait', async (fleet) => {
    const counts = new Map();
    await fleet.addMany(15);
    const start = performance.now();
    const worker = fleet.worker((job) => {
      counts.set(job.id, (counts.get(job.id) ?? 0) + 1);
    }, { concurrency: 50, drainDelay: POLL / 1000, lockDuration: 2_000, stalledInterval: 500 });
    worker.on('stalled', (id) => counts.set(id, 'stalled'));
    await fleet.untilCompleted(15);
    assert(performance.now() - start < POLL, `${performance.now() - start} ms`);
    assert.deepEqual([...counts.values()], Array(15).fill(1));
  });

  test('beneath a global limit, without waiting for a poll', async (fleet) => {
    await fleet.queue.setGlobalConcurrency(2);
    await fleet.addMany(12);
    let running = 0;
    let most = 0;
    const start = performance.now();
    fleet.worker(async () => {
      most = Math.max(most, ++running);
      await sleep(20);
      running--;
    }, { concurrency: 4, drainDelay: POLL / 1000 });
    await fleet.untilCompleted(12);
    assert(performance.now() - start < POLL, `${performance.now() - start} ms`);
    assert.equal(most, 2);
  });

  test('that arrive while another one computes, at once', async (fleet, { user }) => {
    const log = [];
    let isOver = false;
    const worker = fleet.worker(async (job) => {
      log.push(job.name);
      if (job.name === 'short') isOver = true;
      while (!isOver) {
        compute(4);
        await user.scheduler.yield();
      }
    }, { concurrency: 2 });
    worker.on('givenBack', () => log.push('given back'));
    const long = await fleet.queue.add('long', {});
    await until(() => log.length > 0, 'the long job computes');
    await fleet.queue.add('short', {});
    await fleet.untilState('completed', long);
    assert.deepEqual(log, ['long', 'short']);
  });

  test('but not those that are cancelled before their first turn: they fail', async (fleet) => {
    const log = [];
    const worker = await fleet.waitingWorker((job) => log.push(job.name));
    fleet.makeBusy();
    worker.on('active', ({ id }) => setImmediate(() => worker.cancelJob(id, 'nobody wants it')));
    const job = await fleet.add({ attempts: 1 });
    await fleet.untilState('failed', job, ONCE);
    assert.match((await fleet.current(job)).failedReason, /cancelled: nobody wants it/);
    assert.deepEqual(log, []);
  });

  test('and can cancel them', async (fleet) => {
    const made = fleet.worker((job, token, signal) => new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    }));
    const job = await fleet.add();
    await fleet.untilState('active', job);
    await until(() => made.cancelJob(job.id));
    await fleet.untilState('failed', job, ONCE);
  });

  test('and reports once a kind of them that holds the loop', async (fleet) => {
    const warnings = [];
    const listen = ({ name, code, message }) => warnings.push({ name, code, message });
    process.on('warning', listen);
    fleet.worker((job) => compute(job.data.time));
    const added = await fleet.queue.addBulk([['short', 1], ['long', 700], ['long', 700]]
      .map(([name, time]) => ({ name, data: { time } })));
    await fleet.untilState('completed', added[2]);
    // Warnings come in a tick of their own.
    await until(() => warnings.length > 0, 'a warning');
    process.off('warning', listen);
    const [{ message }] = warnings;
    assert.deepEqual(warnings, [
      { name: 'UvSchedulerWarning', code: 'UV_SCHEDULER_LONG_JOB', message },
    ]);
    assert.match(message, /^A job 'long' of the queue 'queue\d+' has blocked .* for \d{3,} ms/);
  });
});

describeEach('an IdleWorker fetches', (test) => {
  test('nothing while the loop is busy', async (fleet) => {
    fleet.makeBusy();
    fleet.worker(() => {});
    const job = await fleet.add();
    await sleep(WHILE);
    await fleet.assertState('waiting', job, [0, 0]);
    fleet.makeCalm();
    await fleet.untilState('completed', job, ONCE);
  });

  test('no job with the completion of the last one', async (fleet) => {
    const jobs = [await fleet.queue.add('first', {}), await fleet.queue.add('second', {})];
    fleet.worker((job) => {
      if (job.name === 'first') fleet.makeBusy();
    });
    await fleet.untilState('completed', jobs[0]);
    await sleep(WHILE);
    await fleet.assertState('waiting', jobs[1], [0, 0]);
    fleet.makeCalm();
    await fleet.untilState('completed', jobs[1]);
  });

  test('by a command that blocks, and not again and again, from an empty queue',
    async (fleet, { redis }) => {
      const made = await fleet.waitingWorker(() => {}, { drainDelay: 2 });
      const before = await redis.commands();
      await sleep(5_000);
      const after = await redis.commands();
      const calls = (name) => (after[name] ?? 0) - (before[name] ?? 0);
      assert(calls('bzpopmin') >= 1, 'it waits');
      assert(calls('bzpopmin') <= 4, `${calls('bzpopmin')} blocking commands in 5 s`);
      assert(calls('evalsha') <= 5, `${calls('evalsha')} scripts in 5 s`);
      assert.equal(made.isRunning(), true);
    });

  test('after a pause that began while the loop was busy', async (fleet) => {
    fleet.makeBusy();
    const made = fleet.worker(() => {});
    const job = await fleet.add();
    await made.waitUntilReady();
    await made.pause();
    fleet.makeCalm();
    await sleep(WHILE);
    await fleet.assertState('waiting', job);
    await made.resume();
    await fleet.untilState('completed', job);
  });
});

describeEach('with an IdleWorker', (test) => {
  test('a processor can limit the rate itself', async (fleet, { user }) => {
    let runs = 0;
    const worker = fleet.worker(async () => {
      if (runs++ > 0) return 'done';
      await fleet.queue.rateLimit(300);
      throw user.Worker.RateLimitError();
    });
    const failures = [];
    worker.on('failed', (failed, error) => failures.push(error.message));
    await fleet.untilState('completed', await fleet.add(), AGAIN);
    assert.equal(runs, 2);
    assert.deepEqual(failures, []);
  });

  test('a processor can delay its job', async (fleet, { user }) => {
    let runs = 0;
    fleet.worker(async (job, token) => {
      if (runs++ > 0) return 'done';
      await job.moveToDelayed(Date.now() + 200, token);
      throw new user.DelayedError();
    });
    await fleet.untilState('completed', await fleet.add());
    assert.equal(runs, 2);
  });

  test('a scheduler repeats jobs', async (fleet) => {
    let runs = 0;
    fleet.worker(() => {
      runs++;
    });
    await fleet.queue.upsertJobScheduler('every', { every: 200 }, { name: 'job' });
    await until(() => runs >= 4, 'it has run four times');
    assert.equal(await fleet.queue.removeJobScheduler('every'), true);
  });

  test('the parent of a flow runs after its children, with their results',
    async (fleet, { user, redis }) => {
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

  test('a processor keeps what it has reached in its job', async (fleet, { user }) => {
    const log = [];
    const worker = fleet.worker(async (job) => {
      for (let step = job.data.step ?? 0; step < 4; step++) {
        log.push(step);
        await job.updateData({ step: step + 1 });
        if (log.length === 2) fleet.makeBusy();
        await user.scheduler.yield();
      }
    }, { patience: PATIENCE });
    const isGiven = givenBack(worker);
    const job = await fleet.add();
    await isGiven;
    fleet.makeCalm();
    await fleet.untilState('completed', job);
    assert.deepEqual(log, [0, 1, 2, 3]);
  });
});

describeEach('an IdleWorker that gives jobs back', (test) => {
  test('does so with one that arrives when the loop has become busy', async (fleet, { user }) => {
    const log = [];
    const worker = await fleet.waitingWorker(stepping(user, log));
    fleet.makeBusy();
    const isGiven = givenBack(worker);
    const job = await fleet.add();
    const { id, reason } = await isGiven;
    assert.equal(id, job.id);
    assert.match(reason, /busy/);
    await sleep(WHILE);
    await fleet.assertState('waiting', job, GIVEN);
    fleet.makeCalm();
    await fleet.untilState('completed', job, AGAIN);
    assert.deepEqual(log, ['started', 'done']);
  });

  test('wakes another worker with it', async (fleet, { user }) => {
    const log = [];
    const worker = await fleet.waitingWorker(stepping(user, log), { drainDelay: 60 });
    // Redis serves first who has waited longest.
    const options = { type: user.Worker, drainDelay: 60 };
    const other = await fleet.waitingWorker(() => 'other', options);
    fleet.makeBusy();
    const isGiven = givenBack(worker);
    const job = await fleet.add();
    await isGiven;
    await fleet.untilState('completed', job);
    assert.equal((await fleet.current(job)).returnvalue, 'other');
    assert.equal(other.isRunning(), true);
    assert.deepEqual(log, []);
  });

  test('does so with one that has got no turn for as long as its patience',
    async (fleet, { user }) => {
      const log = [];
      const processor = stepping(user, log, 3, () => fleet.makeBusy());
      const worker = fleet.worker(processor, { patience: PATIENCE });
      const started = Date.now();
      const isGiven = givenBack(worker);
      const job = await fleet.add({ attempts: 1 });
      const { at, reason } = await isGiven;
      assert.match(reason, /no turn for 400 ms/);
      assert(at - started >= PATIENCE);
      await fleet.assertState('waiting', job, GIVEN);
      assert.deepEqual(log, ['started']);
    });

  test('keeps the lock until the processor has settled', async (fleet, { user }) => {
    const log = [];
    const worker = fleet.worker(async (job, token, signal) => {
      fleet.makeBusy();
      await user.scheduler.yield().catch((error) => log.push(error.name, error === signal.reason));
      // Longer than the lock lasts without renewal.
      await sleep(2_000);
      log.push(await fleet.state(job));
      return 'settled';
    }, { patience: PATIENCE, lockDuration: 1_000 });
    const isGiven = givenBack(worker);
    const job = await fleet.add();
    await isGiven;
    assert.deepEqual(log, ['AbortError', true, 'active']);
    await fleet.assertState('waiting', job, GIVEN);
  });

  test('fetches nothing for as long as its patience then', async (fleet, { user }) => {
    const times = [];
    let at;
    const worker = fleet.worker(stepping(user, [], 1, (signal) => {
      times.push(Date.now());
      if (times.length > 1) return;
      fleet.makeBusy();
      signal.addEventListener('abort', () => {
        at = Date.now();
      });
    }), { patience: PATIENCE });
    const isGiven = givenBack(worker);
    const job = await fleet.add();
    await isGiven;
    fleet.makeCalm();
    await fleet.untilState('completed', job, AGAIN);
    assert.equal(times.length, 2);
    assert(times[1] - at >= PATIENCE - 5, `it came back after ${times[1] - at} ms`);
  });

  test('puts a job with a priority before others of its priority', async (fleet, { user }) => {
    const log = [];
    const worker = fleet.worker(async (job) => {
      log.push(job.name);
      if (log.length === 1) fleet.makeBusy();
      await user.scheduler.yield();
    }, { patience: PATIENCE });
    const isGiven = givenBack(worker);
    const added = await fleet.queue.addBulk(['first', 'second', 'third']
      .map((name) => ({ name, data: {}, opts: { priority: 5 } })));
    await isGiven;
    fleet.makeCalm();
    await fleet.untilState('completed', added[2]);
    assert.deepEqual(log, ['first', 'first', 'second', 'third']);
  });

  test('does so only as often as maxGiveBacks says', async (fleet, { user }) => {
    let starts = 0;
    const worker = fleet.worker(stepping(user, [], 1, () => {
      starts++;
      fleet.makeBusy();
    }), { patience: PATIENCE, maxGiveBacks: 1 });
    const isGiven = givenBack(worker);
    const job = await fleet.add();
    await isGiven;
    fleet.makeCalm();
    await until(() => starts === 2, 'it is started again');
    await sleep(3 * PATIENCE);
    await fleet.assertState('active', job);
    fleet.makeCalm();
    await fleet.untilState('completed', job, AGAIN);
  });

  for (const [starts, state] of [[9, 'waiting'], [10, 'active']]) {
    test(`by default leaves a job ${state} that was given back ${starts} times`,
      async (fleet, { redis }) => {
        await fleet.waitingWorker(() => {});
        await fleet.queue.pause();
        const job = await fleet.add();
        await redis.call(`HSET bull:${fleet.queue.name}:${job.id} ats ${starts}`);
        fleet.makeBusy();
        await fleet.queue.resume();
        await until(async () => (await fleet.starts(job))[0] > starts, 'it starts');
        await sleep(WHILE);
        await fleet.assertState(state, job);
        fleet.makeCalm();
        await fleet.untilState('completed', job);
      });
  }

  test('does not do so with one that waits for I/O or holds the loop itself',
    async (fleet, { user }) => {
      const log = [];
      const worker = fleet.worker(async () => {
        await sleep(3 * PATIENCE);
        compute(3 * PATIENCE);
        await user.scheduler.yield();
        log.push('done');
      }, { patience: PATIENCE });
      worker.on('givenBack', () => log.push('given back'));
      await fleet.untilState('completed', await fleet.add());
      assert.deepEqual(log, ['done']);
    });

  test('follows the patience of each of two queues', async (fleet, { user, redis }) => {
    const { connection } = redis;
    const name = `${fleet.queue.name}-patient`;
    const other = fleet.closeLater(new user.Queue(name, { connection }));
    const log = [];
    const quick = fleet.worker(stepping(user, [], 3), { patience: PATIENCE });
    const slow = stepping(user, log, 3, () => fleet.makeBusy());
    fleet.worker(slow, { name, patience: 20 * PATIENCE });
    // The jobs of both queues have begun when the loop becomes busy.
    const isGiven = givenBack(quick);
    const impatient = await fleet.add();
    const patient = await other.add('patient', {});
    await until(() => log.length > 0, 'the patient job has begun');
    const next = await fleet.add();
    if ((await fleet.state(impatient)) === 'active') await isGiven;
    await sleep(3 * PATIENCE);
    assert.equal(await other.getJobState(patient.id), 'active');
    await fleet.assertState('waiting', next);
    fleet.makeCalm();
    await until(async () => (await other.getJobState(patient.id)) === 'completed', 'patient');
    await fleet.untilState('completed', next);
    assert.deepEqual(log, ['started', 'done']);
  });

  test('does so with what a draining of the scheduler refuses', async (fleet, { user }) => {
    // The worker fetches nothing while the scheduler drains, so its command has to last until a job
    // comes.
    const worker = await fleet.waitingWorker(() => {}, { drainDelay: 60 });
    let resolve;
    const request = user.scheduler.postTask(() => new Promise((fulfil) => {
      resolve = fulfil;
    }));
    const drained = user.drain();
    const isGiven = givenBack(worker);
    const job = await fleet.add();
    assert.match((await isGiven).reason, /drain/);
    resolve();
    await request;
    await drained;
    await fleet.untilState('completed', job, AGAIN);
  });

  test('aborts the signal of a job whose lock is lost, and leaves the job alone',
    async (fleet, { user, redis }) => {
      const log = [];
      const worker = fleet.worker(async (job, token, signal) => {
        log.push(job.attemptsStarted);
        if (log.length > 1) return 'second';
        await redis.call(`SET bull:${fleet.queue.name}:${job.id}:lock another`);
        while (!signal.aborted) await user.scheduler.wait(20);
        return 'never';
      }, { lockDuration: 1_000 });
      const errors = [];
      worker.on('error', ({ message }) => errors.push(message));
      worker.on('givenBack', () => log.push('given back'));
      const job = await fleet.add();
      await until(() => errors.length > 0, 'the lock is lost');
      assert.match(errors[0], /could not renew lock/);
      await sleep(WHILE);
      assert.deepEqual(log, [1]);
      // The job belongs to another worker.
      await fleet.assertState('active', job, GIVEN);
      assert.equal(errors.length, 1);
    });
});

describeEach('close() of an IdleWorker', (test) => {
  // A worker that runs a job of a second.
  async function running(fleet, { scheduler }, options) {
    const log = [];
    const worker = fleet.worker(async (job, token, signal) => {
      log.push('started');
      const end = Date.now() + 1_000;
      try {
        while (Date.now() < end) await scheduler.wait(5);
        log.push('done');
      } catch (error) {
        log.push(error === signal.reason);
        throw error;
      }
    }, options);
    const job = await fleet.add({ attempts: 1 });
    await until(() => log.length > 0, 'the job runs');
    return { worker, job, log };
  }

  // A worker that runs a job which never settles.
  async function hanging(fleet, options) {
    let hasStarted = false;
    const worker = fleet.worker(() => {
      hasStarted = true;
      return new Promise(() => {});
    }, options);
    const job = await fleet.add();
    await until(() => hasStarted, 'the job runs');
    return { worker, job };
  }

  // For each way to close the worker: the last line that the running job logs, the state of the
  // job, and its starts and attempts.
  for (const [title, { options, patience, end, state, starts, isForced }] of Object.entries({
    'waits for the job that runs': { end: 'done', state: 'completed', starts: ONCE },
    'gives it back after the time that was given': {
      options: { giveBackAfter: 100 }, end: true, state: 'waiting', starts: GIVEN,
    },
    'gives it back if it gets no turn': {
      patience: 300, end: true, state: 'waiting', starts: GIVEN,
    },
    // Its lock has yet to expire.
    'waits for nothing if it is forced to, and aborts the signal': {
      options: true, end: true, state: 'active', starts: GIVEN, isForced: true,
    },
  })) {
    test(title, async (fleet, { user }) => {
      const { worker, job, log } = await running(fleet, user, patience && { patience });
      if (patience !== undefined) fleet.makeBusy();
      await worker.close(options);
      if (isForced) {
        await until(() => log.length > 1, 'the job ends');
        await sleep(WHILE);
      }
      assert.deepEqual(log, ['started', end]);
      await fleet.assertState(state, job, starts);
    });
  }

  test('gives a job back at once that has not started', async (fleet) => {
    const log = [];
    const worker = await fleet.waitingWorker(() => log.push('started'), { maxGiveBacks: 0 });
    fleet.makeBusy();
    const job = await fleet.add();
    await fleet.untilState('active', job);
    await worker.close();
    await fleet.assertState('waiting', job);
    assert.deepEqual(log, []);
  });

  test('waits no longer than `forceAfter` for a processor that never settles',
    async (fleet, { user }) => {
      const options = { lockDuration: 1_000, stalledInterval: 500, concurrency: 2 };
      const { worker, job } = await hanging(fleet, options);
      const closings = [];
      worker.on('closed', () => closings.push('closed'));
      await worker.close({ giveBackAfter: 50, forceAfter: 300 });
      await fleet.assertState('active', job);
      assert.deepEqual(closings, ['closed']);
      assert.equal(worker.isRunning(), false);
      // Nor does the scheduler wait for it any more.
      await user.drain();
      fleet.worker(() => 'other', { stalledInterval: 500 });
      await fleet.untilState('completed', job);
      const { returnvalue, stalledCounter } = await fleet.current(job);
      assert.deepEqual([returnvalue, stalledCounter], ['other', 1]);
    });

  test('ends at once if it is forced to while it waits', async (fleet) => {
    const { worker, job } = await hanging(fleet);
    const closed = worker.close();
    await worker.close(true);
    await closed;
    await fleet.assertState('active', job);
  });

  test('does not wait for an idle loop', async (fleet) => {
    fleet.makeBusy();
    const worker = fleet.worker(() => {});
    const job = await fleet.add();
    await worker.waitUntilReady();
    await sleep(100);
    await worker.close();
    await fleet.assertState('waiting', job, [0, 0]);
  });

  test('refuses what is neither a boolean nor an object with times', async (fleet) => {
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

describeEach('the exporters show of an IdleWorker', (test, context) => {
  let register;
  let meterProvider;
  let exporter;
  let collections;

  beforeEach(() => {
    register = new Registry();
    exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
    const reader = new PeriodicExportingMetricReader({ exporter });
    meterProvider = new MeterProvider({ readers: [reader] });
    collections = [
      collectTaskMetrics({ register }),
      instrumentTasks({ meterProvider, tracerProvider: null }),
    ];
  });

  afterEach(async () => {
    for (const collection of collections) collection.stop();
    await meterProvider.shutdown();
  });

  // The figures of the test's queue, of [name, queue, reason, value] of each value.
  function figures(values) {
    const found = { givenBack: {} };
    for (const [name, queue, reason, value] of values) {
      if (queue !== context.fleet.queue.name) continue;
      if (/given.back/.test(name)) found.givenBack[reason] = value;
      if (/discarded/.test(name)) found.discarded = value;
      if (/idle.wait/.test(name)) found.waiting = value;
    }
    return found;
  }

  async function inPrometheus() {
    const metrics = await register.getMetricsAsJSON();
    return figures(metrics.flatMap(({ name, values }) =>
      values.map(({ labels, value }) => [name, labels.queue, labels.reason, value])));
  }

  async function inOpenTelemetry() {
    await meterProvider.forceFlush();
    const { metrics } = exporter.getMetrics().at(-1).scopeMetrics[0];
    return figures(metrics.flatMap(({ descriptor: { name }, dataPoints }) =>
      dataPoints.map(({ attributes, value }) => {
        const ofJob = (key) => attributes[`uv_scheduler.${key}`];
        return [name, ofJob('queue'), ofJob('reason'), value];
      })));
  }

  test('what was given back, the work that was lost with it, and the waiting',
    async (fleet, { user }) => {
      let hasRun = false;
      const started = performance.now();
      const worker = fleet.worker(async () => {
        if (hasRun) return;
        hasRun = true;
        await sleep(200);
        fleet.makeBusy();
        await user.scheduler.yield();
      }, { patience: PATIENCE });
      const isGiven = givenBack(worker);
      const job = await fleet.add();
      await isGiven;
      fleet.makeCalm();
      await fleet.untilState('completed', job);
      // The worker waits for the next job in Redis, no longer for the loop.
      let counts;
      await until(async () => {
        const before = worker.idleCounts.waitTime;
        await sleep(50);
        counts = worker.idleCounts;
        return counts.waitTime === before;
      }, 'the worker waits for a job');
      const time = performance.now() - started;
      const { givenBack: reasons, discardedTime, waitTime } = counts;
      assert.deepEqual(reasons, { 'busy': 0, 'no-turn': 1, 'closing': 0, 'draining': 0 });
      assert(discardedTime >= 190 && discardedTime < time, `${discardedTime} ms`);
      assert(waitTime >= PATIENCE - 10 && waitTime < time, `${waitTime} ms`);
      for (const shown of [await inPrometheus(), await inOpenTelemetry()]) {
        assert.deepEqual(shown.givenBack, reasons);
        assert.equal(shown.discarded, discardedTime / 1000);
        assert(shown.waiting >= waitTime / 1000);
      }
    });

  test('the sum of the workers of a queue, also when they are closed', async (fleet) => {
    for (let i = 0; i < 2; i++) {
      const worker = await fleet.waitingWorker(() => {});
      fleet.makeBusy();
      const isGiven = givenBack(worker);
      const job = await fleet.add();
      await isGiven;
      await worker.close();
      fleet.makeCalm();
      await fleet.queue.remove(job.id);
    }
    const { givenBack: reasons } = await inPrometheus();
    assert(reasons.busy >= 2, `${reasons.busy}`);
    assert.deepEqual((await inOpenTelemetry()).givenBack, reasons);
  });

  test('the waiting while it lasts', async (fleet) => {
    fleet.makeBusy();
    const worker = fleet.worker(() => {});
    await worker.waitUntilReady();
    await until(async () => (await inPrometheus()).waiting > 0.2, 'it has waited');
    assert((await inOpenTelemetry()).waiting > 0.2);
  });
});
