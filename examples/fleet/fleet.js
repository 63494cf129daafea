'use strict';

// Redis, the servers, the visitors and the producer of jobs, and what is measured of them.

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');

const { Queue } = require('bullmq');

const { placeProcesses, putThreadsLast } = require('./processors');
const { Producer } = require('./producer');
const { Redis } = require('./redis');
const { summarize } = require('./summary');

const QUEUE = 'documents';

// The shares of its thread that a server needs for its visitors.
const HEAVY = 0.8;
const LIGHT = 0.1;

// The rate is in pages per second. A round takes at most so many seconds.
const CALIBRATION = { rate: 150, rounds: 3, longest: 3 };

// The interval at which jobs are counted while the load moves, in milliseconds.
const SAMPLE = 250;

// Shorter bursts of garbage collection, as in examples/docs-site, and by the main thread alone, as
// the other threads of a server share its processor.
const SERVER_ARGUMENTS = ['--max-semi-space-size=8', '--no-parallel-scavenge'];

// Seconds that the processors have been idle, in all.
const idleTime = () => os.cpus().reduce((sum, { times }) => sum + times.idle, 0) / 1000;

const ask = async (child, message) => (await child.ask(message)).result;

class Fleet {
  redis = new Redis();
  #startChild;
  #folder = fs.mkdtempSync(path.join(os.tmpdir(), 'uv-scheduler-fleet-'));
  #servers = [];
  #queue;
  #producer;
  #load;
  // Pages per second that each server can take.
  #rates;
  #runs = [];
  #alone;
  #timeline = [];

  constructor(startChild) {
    this.#startChild = startChild;
  }

  async start() {
    await this.redis.start();
    const { connection } = this.redis;
    this.#queue = new Queue(QUEUE, { connection });
    this.#load = this.#startChild(path.join(__dirname, 'load.js'));
    const file = path.join(__dirname, 'server.js');
    for (const name of ['server 1', 'server 2']) {
      const args = [name, QUEUE, String(connection.port), this.#folder];
      const child = this.#startChild(file, args, [...process.execArgv, ...SERVER_ARGUMENTS]);
      const { url, paths } = await child.answer();
      this.#servers.push({ name, child, url, paths });
    }
    const [heavy, light] = this.#servers.map(({ child }) => child.pid);
    placeProcesses({ heavy, light, others: [this.#load.pid, this.redis.pid, process.pid] });
    this.#producer = new Producer(this.#queue, this.#servers[0].paths.length);
  }

  /** A phase of the measurement will take so many seconds. */
  async warmUp(seconds) {
    for (const { url, paths } of [...this.#servers, ...this.#servers]) {
      await ask(this.#load, { command: 'fetchAll', url, paths });
    }
    // The jobs need these, too.
    await this.#startJobs(['start', 'start']);
    await sleep(3_000);
    await this.#stopJobs();
    for (const { child } of this.#servers) putThreadsLast(child.pid);
    await this.#calibrate(seconds);
  }

  // Finds out how many pages per second would take all of a server's thread. A page takes less time
  // when there are many, so it begins at a low rate and corrects it.
  async #calibrate(most) {
    const { rate, rounds, longest } = CALIBRATION;
    const seconds = Math.min(longest, most);
    this.#rates = this.#servers.map(() => rate);
    for (let seed = 1000; seed < 1000 + rounds; seed++) {
      for (const shares of [[HEAVY, LIGHT], [LIGHT, HEAVY]]) {
        const { servers } = await this.#measureWhile(() => this.#visit(shares, seconds, 2 * seed));
        const i = shares.indexOf(HEAVY);
        this.#rates[i] *= HEAVY / (1 - servers[i].utilization.idle);
      }
    }
  }

  #askAll(command) {
    return Promise.all(this.#servers.map(({ child }) => ask(child, { command })));
  }

  // Visitors of both servers.
  #visit(shares, seconds, seed) {
    const targets = this.#servers.map(({ url, paths }, i) => {
      return { url, paths, rate: this.#rates[i] * shares[i], seconds, seed: seed + i };
    });
    return ask(this.#load, { command: 'visit', targets });
  }

  async #measureWhile(work) {
    const before = await this.#askAll('count');
    await this.#askAll('utilization');
    const start = performance.now();
    const idleBefore = idleTime();
    const results = await work();
    const seconds = (performance.now() - start) / 1000;
    const idleProcessors = (idleTime() - idleBefore) / seconds;
    const utilization = await this.#askAll('utilization');
    const after = await this.#askAll('count');
    const servers = this.#servers.map(({ name }, i) => ({
      name,
      ...results?.[i],
      utilization: utilization[i],
      jobsPerSecond: (after[i].jobs - before[i].jobs) / seconds,
      givenBack: after[i].givenBack - before[i].givenBack,
    }));
    return { servers, idleProcessors };
  }

  /** The first server is loaded heavily, the second lightly. */
  async measure({ seconds, seed, withJobs }) {
    if (withJobs) await this.#startJobs(['start', 'start']);
    const visit = () => this.#visit([HEAVY, LIGHT], seconds, 2 * seed);
    const figures = await this.#measureWhile(visit);
    if (withJobs) await this.#stopJobs();
    this.#runs.push({ withJobs, ...figures });
  }

  async #startJobs(commands) {
    await this.#producer.start();
    await Promise.all(this.#servers.map(({ child }, i) => ask(child, { command: commands[i] })));
  }

  async #stopJobs() {
    await this.#askAll('stop');
    await this.#producer.stop();
  }

  /** The same jobs on a server without visitors. */
  async measureAlone(seconds) {
    await this.#startJobs(['count', 'start']);
    const { servers } = await this.#measureWhile(() => sleep(seconds * 1000));
    await this.#stopJobs();
    this.#alone = servers[1].jobsPerSecond;
  }

  /** The load of the servers is exchanged after half of the time. */
  async moveLoad(seconds) {
    await this.#startJobs(['start', 'start']);
    const phases = [[HEAVY, LIGHT], [LIGHT, HEAVY]];
    const start = performance.now();
    let isOver = false;
    const sampling = this.#sample(start, () => isOver);
    for (const shares of phases) {
      const moved = performance.now() - start;
      await this.#visit(shares, 2 * seconds, 100);
      if (shares === phases[0]) continue;
      this.#timeline.movedAt = moved / 1000;
    }
    isOver = true;
    await sampling;
    await this.#stopJobs();
  }

  async #sample(start, isOver) {
    while (!isOver()) {
      const counts = await this.#askAll('count');
      const at = (performance.now() - start) / 1000;
      this.#timeline.push({ at, jobs: counts.map(({ jobs }) => jobs) });
      await sleep(SAMPLE);
    }
  }

  /** Lets the servers end, and returns all results. */
  async finish() {
    const before = await this.#askAll('count');
    await this.#askAll('close');
    const counts = await this.#askAll('count');
    const lost = await this.#producer.countLost(path.join(this.#folder, 'done'));
    await this.#queue.close();
    fs.rmSync(this.#folder, { recursive: true, force: true });
    return summarize({
      runs: this.#runs,
      alone: this.#alone,
      timeline: this.#timeline,
      givenBack: counts.reduce((sum, { givenBack }) => sum + givenBack, 0),
      failed: before.reduce((sum, { failed }) => sum + failed, 0),
      ...lost,
    });
  }
}

module.exports = { Fleet };
