'use strict';

// Runs scenarios, each with a queue of its own and workers of one kind in this process, and sends
// what came of each. The file ../scenarios.js describes the scenarios.

const { setImmediate: turn, setTimeout: sleep } = require('node:timers/promises');
const { Queue, UnrecoverableError, Worker } = require('bullmq');
const { scheduler } = require('uv-scheduler');
const { IdleWorker } = require('uv-scheduler/bullmq');

const { connection, kind, atOnce, limit } = JSON.parse(process.argv[2]);

const KINDS = {
  Worker: { type: Worker, giveWay: () => turn() },
  IdleWorker: { type: IdleWorker, giveWay: () => scheduler.yield() },
};

// Short, so that a job whose lock is not renewed runs twice within a scenario.
const OPTIONS = { drainDelay: 1, lockDuration: 3_000, stalledInterval: 1_000 };

function compute(milliseconds) {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

// The work of a job in one run.
async function work({ pieces, piece, wait }, giveWay) {
  for (let i = 0; i < pieces; i++) {
    compute(piece);
    await giveWay();
  }
  if (wait > 0) await sleep(wait);
}

class Run {
  #scenario;
  #queue;
  #workers;
  #started = performance.now();
  // By the id of a job.
  #runs = {};
  #givenBack = {};
  #events = {};
  #troubles = [];
  #active = 0;
  #mostActive = 0;

  constructor(scenario, name) {
    this.#scenario = scenario;
    this.#queue = new Queue(name, { connection });
  }

  async run() {
    const { globalConcurrency } = this.#scenario;
    if (globalConcurrency > 0) await this.#queue.setGlobalConcurrency(globalConcurrency);
    const { workers } = this.#scenario;
    const isFirst = ({ at }) => at === 0;
    await this.#add(this.#scenario.jobs.filter(isFirst));
    this.#started = performance.now();
    this.#workers = Array.from({ length: workers }, () => this.#worker());
    await Promise.all([this.#addLater(), this.#pause(), this.#untilDone()]);
    const milliseconds = performance.now() - this.#started;
    const jobs = await this.#jobs();
    await Promise.all([...this.#workers, this.#queue].map((each) => each.close()));
    return { jobs, milliseconds, mostActive: this.#mostActive, troubles: this.#troubles };
  }

  async #add(jobs) {
    await this.#queue.addBulk(jobs.map(({ id, delay, priority, attempts, backoff, ...data }) => {
      const opts = { jobId: `job-${id}`, delay, priority, attempts, backoff };
      return { name: 'job', data, opts };
    }));
  }

  async #addLater() {
    const later = this.#scenario.jobs.filter(({ at }) => at > 0);
    if (later.length === 0) return;
    await sleep(later[0].at);
    await this.#add(later);
  }

  #worker() {
    const { concurrency, limiter } = this.#scenario;
    const { type, giveWay } = KINDS[kind];
    const options = { connection, concurrency, ...OPTIONS, ...(limiter && { limiter }) };
    const worker = new type(this.#queue.name, (job) => this.#process(job, giveWay), options);
    worker.on('completed', ({ id }) => this.#note(id, 'completed'));
    worker.on('failed', ({ id }) => this.#note(id, 'failed'));
    worker.on('givenBack', ({ id }) => {
      this.#givenBack[id] = (this.#givenBack[id] ?? 0) + 1;
    });
    worker.on('stalled', (id) => this.#troubles.push(`${id} has stalled`));
    worker.on('error', ({ message }) => this.#troubles.push(message));
    return worker;
  }

  #note(id, event) {
    (this.#events[id] ??= []).push(event);
  }

  async #process({ id, data, attemptsMade }, giveWay) {
    this.#runs[id] = (this.#runs[id] ?? 0) + 1;
    this.#mostActive = Math.max(this.#mostActive, ++this.#active);
    try {
      await work(data, giveWay);
    } finally {
      this.#active--;
    }
    if (attemptsMade < data.failures) throw new Error(`failure ${attemptsMade + 1}`);
    if (data.isHopeless) throw new UnrecoverableError('hopeless');
    return { id, attempt: attemptsMade + 1 };
  }

  async #pause() {
    const { pause } = this.#scenario;
    if (pause === null) return;
    await sleep(pause.at);
    const paused = pause.ofQueue ? [this.#queue] : this.#workers;
    await Promise.all(paused.map((each) => each.pause()));
    await sleep(pause.time);
    await Promise.all(paused.map((each) => each.resume()));
  }

  async #untilDone() {
    const { length } = this.#scenario.jobs;
    for (;;) {
      const { completed, failed } = await this.#queue.getJobCounts('completed', 'failed');
      if (completed + failed === length) return;
      if (performance.now() - this.#started > limit) {
        this.#troubles.push(`${completed + failed} of ${length} jobs are done after ${limit} ms`);
        return;
      }
      await sleep(20);
    }
  }

  async #jobs() {
    return Promise.all(this.#scenario.jobs.map(async ({ id: number }) => {
      const id = `job-${number}`;
      const job = await this.#queue.getJob(id);
      return {
        id,
        state: await job.getState(),
        attemptsMade: job.attemptsMade,
        // Starts that were given back are no runs.
        starts: job.attemptsStarted - (this.#givenBack[id] ?? 0),
        returnvalue: job.returnvalue,
        failedReason: job.failedReason,
        runs: this.#runs[id] ?? 0,
        events: this.#events[id] ?? [],
      };
    }));
  }
}

async function main(scenarios) {
  const waiting = [...scenarios.entries()];
  await Promise.all(Array.from({ length: atOnce }, async () => {
    while (waiting.length > 0) {
      const [i, scenario] = waiting.shift();
      const outcome = await new Run(scenario, `${kind}-${process.pid}-${i}`).run();
      process.send({ i, outcome });
    }
  }));
  process.disconnect();
}

process.once('message', main);
