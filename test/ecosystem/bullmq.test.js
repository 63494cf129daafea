'use strict';

// `uv-scheduler/bullmq` with versions of BullMQ and a real Redis: which jobs an IdleWorker fetches,
// how it runs them, which it gives back, how it is closed, and what the exporters show of it.
// bullmq-scenarios.test.js compares it with a Worker in what both do: attempts, delays, priorities
// and limits. Patience, locks and limits are of real time, which is a lower bound here.
// @lane waiting
// @host newest

const assert = require('node:assert/strict');
const { once } = require('node:events');
const { EXPORTERS } = require('../helpers/exporters.js');
const { compute, describeEach, sleep, until } = require('./bullmq');

// In milliseconds: a patience that is short for tests, and how much earlier a timer may fire.
const PATIENCE = 400;
const EARLY = 5;

// In seconds: after which a worker looks again whether there are jobs, longer than any test.
const NEVER = 600;

// How often a job has started and was attempted: once, again after it was given back, or only given
// back.
const ONCE = [1, 1];
const AGAIN = [2, 1];
const GIVEN = [1, 0];

// Adds a job, and resolves to it and the reason when a worker has given it back.
async function addGivenBack(fleet, worker, options) {
  const isGiven = once(worker, 'givenBack');
  const job = await fleet.add(options);
  const [{ id }, reason] = await isGiven;
  assert.equal(id, job.id);
  return { job, reason };
}

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

  for (const [title, { count, concurrency, limit, wanted }] of Object.entries({
    'as many at once as the concurrency says': { count: 15, concurrency: 50, wanted: 15 },
    'beneath a global limit': { count: 12, concurrency: 4, limit: 2, wanted: 2 },
  })) {
    test(`${title}, without waiting for a poll`, async (fleet) => {
      if (limit !== undefined) await fleet.queue.setGlobalConcurrency(limit);
      await fleet.addMany(count);
      let running = 0;
      let most = 0;
      fleet.worker(async () => {
        most = Math.max(most, ++running);
        await until(() => most >= wanted, 'the others run');
        running--;
      }, { concurrency, drainDelay: NEVER });
      await fleet.untilCompleted(count);
      assert.equal(most, wanted);
    });
  }

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

  test('and reports once a kind of them that holds the loop', async (fleet) => {
    const warnings = [];
    const listen = (warning) => warnings.push(warning);
    process.on('warning', listen);
    fleet.worker(() => compute(700));
    await fleet.addMany(2);
    await fleet.untilCompleted(2);
    // Warnings come in a tick of their own.
    await until(() => warnings.length > 0, 'a warning');
    process.off('warning', listen);
    assert.deepEqual(warnings.map(({ code }) => code), ['UV_SCHEDULER_LONG_JOB']);
    assert.match(warnings[0].message,
      /^A job 'job' of the queue 'queue\d+' has blocked .* for \d{3,} ms/);
  });
});

describeEach('an IdleWorker fetches', (test) => {
  test('nothing while the loop is busy, nor after a pause that began then', async (fleet) => {
    fleet.makeBusy();
    const worker = fleet.worker(() => {});
    const job = await fleet.add();
    await worker.waitUntilReady();
    await fleet.letAct();
    await fleet.assertState('waiting', job, [0, 0]);
    await worker.pause();
    fleet.makeCalm();
    await fleet.letAct();
    await fleet.assertState('waiting', job, [0, 0]);
    await worker.resume();
    await fleet.untilState('completed', job, ONCE);
  });

  test('no job with the completion of the last one', async (fleet) => {
    const jobs = [await fleet.queue.add('first', {}), await fleet.queue.add('second', {})];
    fleet.worker((job) => {
      if (job.name === 'first') fleet.makeBusy();
    });
    await fleet.untilState('completed', jobs[0]);
    await fleet.letAct();
    await fleet.assertState('waiting', jobs[1], [0, 0]);
    fleet.makeCalm();
    await fleet.untilState('completed', jobs[1]);
  });

  test('by a command that blocks, and not again and again, from an empty queue',
    async (fleet, { redis }) => {
      await fleet.waitingWorker(() => {}, { drainDelay: 1 });
      const before = await redis.commands();
      let calls;
      await until(async () => {
        const after = await redis.commands();
        calls = (name) => (after[name] ?? 0) - (before[name] ?? 0);
        return calls('bzpopmin') >= 3;
      }, 'it waits again');
      assert(calls('evalsha') <= 2 * calls('bzpopmin'), `${calls('evalsha')} scripts`);
    });
});

describeEach('with an IdleWorker', (test) => {
  for (const [what, move] of Object.entries({
    'limit the rate': async ({ queue }, { Worker }) => {
      await queue.rateLimit(300);
      throw Worker.RateLimitError();
    },
    'delay its job': async (fleet, { DelayedError }, job, token) => {
      await job.moveToDelayed(Date.now() + 200, token);
      throw new DelayedError();
    },
  })) {
    test(`a processor can ${what}`, async (fleet, { user }) => {
      let runs = 0;
      const worker = fleet.worker((job, token) =>
        runs++ === 0 ? move(fleet, user, job, token) : 'done');
      const failures = [];
      worker.on('failed', (failed, { message }) => failures.push(message));
      const job = await fleet.add();
      await fleet.untilState('completed', job, AGAIN);
      assert.equal(runs, 2);
      assert.deepEqual(failures, []);
    });
  }
});

describeEach('an IdleWorker that gives jobs back', (test) => {
  test('does so with one that arrives when the loop has become busy', async (fleet) => {
    const worker = await fleet.waitingWorker(() => {});
    fleet.makeBusy();
    const { job, reason } = await addGivenBack(fleet, worker);
    assert.match(reason, /busy/);
    await fleet.letAct();
    await fleet.assertState('waiting', job, GIVEN);
    fleet.makeCalm();
    await fleet.untilState('completed', job, AGAIN);
  });

  test('wakes another worker with it', async (fleet, { user }) => {
    const worker = await fleet.waitingWorker(assert.fail, { drainDelay: NEVER });
    // Redis serves first who has waited longest.
    await fleet.waitingWorker(() => 'other', { type: user.Worker, drainDelay: NEVER });
    fleet.makeBusy();
    const { job } = await addGivenBack(fleet, worker);
    await fleet.untilState('completed', job);
    assert.equal((await fleet.current(job)).returnvalue, 'other');
  });

  test('does so with one that has got no turn for as long as its patience, once it has settled',
    async (fleet, { user }) => {
      const times = [];
      const log = [];
      const note = () => times.push(Date.now());
      const worker = fleet.worker(async (job, token, signal) => {
        note();
        if (times.length > 1) return;
        fleet.makeBusy();
        const end = (error) => log.push(error.name, error === signal.reason);
        await user.scheduler.yield().catch(end);
        note();
        // Longer than the lock lasts without renewal.
        await sleep(3_000);
        log.push(await fleet.state(job));
        note();
      }, { patience: PATIENCE, lockDuration: 2_000 });
      const { job, reason } = await addGivenBack(fleet, worker, { attempts: 1 });
      assert.match(reason, /no turn for 400 ms/);
      assert.deepEqual(log, ['AbortError', true, 'active']);
      await fleet.assertState('waiting', job, GIVEN);
      fleet.makeCalm();
      await fleet.untilState('completed', job, AGAIN);
      const [started, aborted, settled, again] = times;
      assert(aborted - started >= PATIENCE - EARLY, `aborted after ${aborted - started} ms`);
      assert(again - settled >= PATIENCE - EARLY, `it came back after ${again - settled} ms`);
    });

  test('puts a job with a priority before others of its priority', async (fleet, { user }) => {
    const log = [];
    const worker = fleet.worker(async (job) => {
      log.push(job.name);
      if (log.length === 1) fleet.makeBusy();
      await user.scheduler.yield();
    }, { patience: PATIENCE });
    const isGiven = once(worker, 'givenBack');
    const added = await fleet.queue.addBulk(['first', 'second', 'third']
      .map((name) => ({ name, data: {}, opts: { priority: 5 } })));
    await isGiven;
    fleet.makeCalm();
    await fleet.untilState('completed', added[2]);
    assert.deepEqual(log, ['first', 'first', 'second', 'third']);
  });

  test('does so only as often as maxGiveBacks says', async (fleet, { user }) => {
    let starts = 0;
    const worker = fleet.worker(async () => {
      starts++;
      fleet.makeBusy();
      await user.scheduler.yield();
    }, { patience: PATIENCE, maxGiveBacks: 1 });
    const { job } = await addGivenBack(fleet, worker);
    fleet.makeCalm();
    await until(() => starts === 2, 'it is started again');
    await sleep(3 * PATIENCE);
    await fleet.assertState('active', job);
    fleet.makeCalm();
    await fleet.untilState('completed', job, AGAIN);
  });

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

  test('does so with what a draining of the scheduler refuses', async (fleet, { user }) => {
    // The worker fetches nothing while the scheduler drains, so its command has to last until a job
    // comes.
    const worker = await fleet.waitingWorker(() => {}, { drainDelay: NEVER });
    let resolve;
    const answered = new Promise((fulfil) => (resolve = fulfil));
    const request = user.scheduler.postTask(() => answered);
    const drained = user.drain();
    const { job, reason } = await addGivenBack(fleet, worker);
    assert.match(reason, /drain/);
    resolve();
    await request;
    await drained;
    await fleet.untilState('completed', job, AGAIN);
  });

});

describeEach('close() of an IdleWorker', (test) => {
  // A worker that runs a job until `finish()` is called.
  async function running(fleet, { scheduler }, options) {
    const log = [];
    let isOver = false;
    const finish = () => (isOver = true);
    const worker = fleet.worker(async (job, token, signal) => {
      log.push('started');
      try {
        while (!isOver) await scheduler.wait(5);
        log.push('done');
      } catch (error) {
        log.push(error === signal.reason);
        throw error;
      }
    }, options);
    const job = await fleet.add({ attempts: 1 });
    await until(() => log.length > 0, 'the job runs');
    return { worker, job, log, finish };
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
      const { worker, job, log, finish } = await running(fleet, user, patience && { patience });
      if (patience !== undefined) fleet.makeBusy();
      const closed = worker.close(options);
      if (end === 'done') {
        await fleet.letAct();
        finish();
      }
      await closed;
      if (isForced) {
        await until(() => log.length > 1, 'the job ends');
        await fleet.letAct();
      }
      assert.deepEqual(log, ['started', end]);
      await fleet.assertState(state, job, starts);
    });
  }

  test('gives a job back at once that has not started, whatever maxGiveBacks', async (fleet) => {
    const log = [];
    const worker = await fleet.waitingWorker(() => log.push('started'), { maxGiveBacks: 0 });
    fleet.makeBusy();
    const job = await fleet.add();
    await fleet.untilState('active', job);
    await fleet.letAct();
    await fleet.assertState('active', job, GIVEN);
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
    await fleet.letAct();
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

describeEach('the metrics of IdleWorkers', (test) => {
  for (const [name, startExporter] of Object.entries(EXPORTERS)) {
    test(`in ${name} are the sums of a queue, with the wait under way`, async (fleet, { user }) => {
      const exporter = startExporter();
      const start = performance.now();
      const first = fleet.worker(async () => {
        await sleep(200);
        fleet.makeBusy();
        await user.scheduler.yield();
      }, { patience: PATIENCE });
      await addGivenBack(fleet, first);
      await first.close();
      const { givenBack: reasons, discardedTime, waitTime } = first.idleCounts;
      assert.deepEqual(reasons, { 'busy': 0, 'no-turn': 1, 'closing': 0, 'draining': 0 });
      // The loop is still busy.
      fleet.worker(() => {});
      let families;
      const ofQueue = (metric) => Object.fromEntries(families[metric]
        .filter(([{ queue }]) => queue === fleet.queue.name)
        .map(([{ reason }, value]) => [reason, value]));
      const waiting = () => ofQueue('jobs.idle_wait').undefined;
      await until(async () => {
        families = await exporter.read();
        return waiting() >= (waitTime + 200) / 1000;
      }, 'the other one waits');
      exporter.stop();
      assert.deepEqual(ofQueue('jobs.given_back'), reasons);
      assert.deepEqual(ofQueue('jobs.discarded'), { undefined: discardedTime / 1000 });
      const elapsed = performance.now() - start;
      assert(waiting() < elapsed / 1000, `${waiting()} s`);
      assert(discardedTime >= 190 && discardedTime < elapsed, `${discardedTime} ms`);
    });
  }
});
