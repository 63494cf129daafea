'use strict';

// An IdleWorker does what a Worker of BullMQ does: random scenarios, run by both on a real Redis,
// with each version of BullMQ. They are the same each time; SCENARIO_SEED and SCENARIO_COUNT choose
// others.
// @lane waiting

const assert = require('node:assert/strict');
const { setImmediate: turn } = require('node:timers/promises');
const fc = require('fast-check');
const { compute, describeEach, sleep } = require('./bullmq');

const COUNT = Number(process.env.SCENARIO_COUNT ?? 40);
const SEED = Number(process.env.SCENARIO_SEED ?? 2026);

// The number of scenarios that run at once.
const AT_ONCE = 10;

const rarely = (arbitrary, otherwise) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(otherwise) }, { weight: 1, arbitrary });

const job = fc.record({
  // Milliseconds after the start.
  at: rarely(fc.constant(150), 0),
  delay: rarely(fc.integer({ min: 1, max: 300 }), 0),
  priority: rarely(fc.integer({ min: 1, max: 3 }), 0),
  attempts: fc.integer({ min: 1, max: 3 }),
  backoff: fc.constantFrom(0, 20),
  // How many attempts fail first.
  failures: rarely(fc.integer({ min: 1, max: 3 }), 0),
  isHopeless: rarely(fc.boolean(), false),
  // The job computes in pieces of some milliseconds, and then waits.
  pieces: rarely(fc.integer({ min: 1, max: 10 }), 0),
  piece: fc.constantFrom(0, 1, 4),
  wait: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 40 })),
});

const anyScenario = fc.record({
  workers: rarely(fc.integer({ min: 2, max: 3 }), 1),
  concurrency: fc.oneof(fc.integer({ min: 1, max: 6 }), fc.constantFrom(20, 50)),
  // 0: none.
  globalConcurrency: rarely(fc.integer({ min: 1, max: 4 }), 0),
  limiter: rarely(
    fc.record({ max: fc.integer({ min: 1, max: 5 }), duration: fc.integer({ min: 20, max: 100 }) }),
    undefined,
  ),
  pause: rarely(
    fc.record({
      at: fc.integer({ min: 1, max: 100 }),
      time: fc.integer({ min: 1, max: 200 }),
      ofQueue: fc.boolean(),
    }),
    undefined,
  ),
  // By default most arrays are short.
  jobs: fc.array(job, { minLength: 1, maxLength: 25, size: 'max' }),
});

// The milliseconds after which a scenario ends in any case. A lock lasts longer than any stall.
const LIMIT = 30_000;
const OPTIONS = { drainDelay: 1, lockDuration: 10_000, stalledInterval: 5_000 };

let queues = 0;

// Runs a scenario with a kind of worker, by its name. `api` has the classes of BullMQ, IdleWorker
// and the scheduler. Resolves to what became of each job, how many jobs ran at once, and errors of
// the workers.
async function outcomeOf(given, kind, { api, connection }) {
  const { workers, concurrency, globalConcurrency, limiter, pause } = given;
  const giveWay = { Worker: () => turn(), IdleWorker: () => api.scheduler.yield() }[kind];
  const queue = new api.Queue(`${kind}-${queues++}`, { connection });
  const troubles = [];
  const fates = given.jobs.map(() => ({ runs: 0, givenBack: 0, events: [] }));
  const fateOf = ({ data }) => fates[data.number];
  let active = 0;
  let mostActive = 0;

  async function work({ data, attemptsMade }) {
    mostActive = Math.max(mostActive, ++active);
    for (let i = 0; i < data.pieces; i++) {
      compute(data.piece);
      await giveWay();
    }
    if (data.wait > 0) await sleep(data.wait);
    active--;
    if (attemptsMade < data.failures) throw new Error(`failure ${attemptsMade + 1}`);
    return { number: data.number, attempt: attemptsMade + 1 };
  }

  // Throws the hopeless error itself, and rejects with the others.
  function process(started) {
    fateOf(started).runs++;
    if (started.data.isHopeless) throw new api.UnrecoverableError('hopeless');
    return work(started);
  }

  function start() {
    const worker = new api[kind](queue.name, process,
      { connection, concurrency, ...OPTIONS, ...(limiter && { limiter }) });
    for (const event of ['completed', 'failed']) {
      worker.on(event, (ended) => fateOf(ended).events.push(event));
    }
    worker.on('givenBack', (back) => fateOf(back).givenBack++);
    worker.on('stalled', (id) => troubles.push(`${id} has stalled`));
    worker.on('error', ({ message }) => troubles.push(message));
    return worker;
  }

  const jobs = given.jobs.map(({ at, delay, priority, attempts, backoff, ...data }, number) => {
    const opts = { jobId: `job-${number}`, delay, priority, attempts, backoff };
    return { at, job: { name: 'job', data: { ...data, number }, opts } };
  });
  const add = (isWanted) =>
    queue.addBulk(jobs.filter(({ at }) => isWanted(at)).map((each) => each.job));

  async function addLater() {
    const later = Math.max(...jobs.map(({ at }) => at));
    await sleep(later);
    if (later > 0) await add((at) => at > 0);
  }

  async function pauseAll(paused) {
    await sleep(pause.at);
    await Promise.all(paused.map((each) => each.pause()));
    await sleep(pause.time);
    await Promise.all(paused.map((each) => each.resume()));
  }

  async function untilDone() {
    for (;;) {
      const { completed, failed } = await queue.getJobCounts('completed', 'failed');
      if (completed + failed === jobs.length) return;
      if (performance.now() > end) {
        troubles.push(`${completed + failed} of ${jobs.length} jobs are done after ${LIMIT} ms`);
        return;
      }
      await sleep(20);
    }
  }

  if (globalConcurrency > 0) await queue.setGlobalConcurrency(globalConcurrency);
  await add((at) => at === 0);
  const end = performance.now() + LIMIT;
  const all = Array.from({ length: workers }, start);
  const pausing = pause && pauseAll(pause.ofQueue ? [queue] : all);
  await Promise.all([addLater(), pausing, untilDone()]);
  const found = await Promise.all(fates.map(async ({ givenBack, ...fate }, number) => {
    const each = await queue.getJob(`job-${number}`);
    const { attemptsMade, returnvalue, failedReason } = each;
    // Starts that were given back are no runs.
    const starts = each.attemptsStarted - givenBack;
    const state = await each.getState();
    return { ...fate, attemptsMade, starts, returnvalue, failedReason, state };
  }));
  await Promise.all([...all, queue].map((each) => each.close()));
  return { jobs: found, mostActive, troubles };
}

// Asserts that an IdleWorker has done what a Worker has.
function assertAlike(scenario, [expected, actual]) {
  const text = JSON.stringify(scenario);
  assert.deepEqual([expected.troubles, actual.troubles], [[], []], text);
  assert.deepEqual(actual.jobs, expected.jobs, text);
  const most = scenario.globalConcurrency || Infinity;
  assert(actual.mostActive <= most, `${actual.mostActive} jobs ran at once: ${text}`);
}

describeEach(`${COUNT} random scenarios (seed ${SEED})`, (test) => {
  test('end alike with a Worker and with an IdleWorker',
    async (fleet, { user, redis: { connection } }) => {
      const waiting = fc.sample(anyScenario, { numRuns: COUNT, seed: SEED });
      await Promise.all(Array.from({ length: AT_ONCE }, async () => {
        while (waiting.length > 0) {
          const scenario = waiting.shift();
          const pair = [];
          for (const kind of ['Worker', 'IdleWorker']) {
            pair.push(await outcomeOf(scenario, kind, { api: user, connection }));
          }
          assertAlike(scenario, pair);
        }
      }));
    });
});
