'use strict';

// Keeps the queue filled with jobs, and knows in the end which ones were lost or run twice.

const fs = require('node:fs');
const { setTimeout: sleep } = require('node:timers/promises');

// Some 50 ms of work.
const DOCUMENTS_OF_JOB = 6;

const WAITING = 200;
const INTERVAL = 100;

class Producer {
  #queue;
  #count;
  #next = 0;
  #running;
  #isStopped = true;
  #ids = [];

  /** @param {number} count how many documents there are */
  constructor(queue, count) {
    this.#queue = queue;
    this.#count = count;
  }

  async start() {
    this.#isStopped = false;
    await this.#fill();
    this.#running = this.#run();
  }

  async #run() {
    while (!this.#isStopped) {
      await sleep(INTERVAL);
      await this.#fill();
    }
  }

  async #fill() {
    const missing = WAITING - (await this.#queue.getWaitingCount());
    if (missing <= 0) return;
    const jobs = Array.from({ length: missing }, () => ({ name: 'render', data: this.#data() }));
    this.#ids.push(...(await this.#queue.addBulk(jobs)).map(({ id }) => id));
  }

  #data() {
    const documents = Array.from({ length: DOCUMENTS_OF_JOB }, () => this.#next++ % this.#count);
    return { documents };
  }

  /** Jobs that wait stay in the queue. */
  async stop() {
    this.#isStopped = true;
    await this.#running;
  }

  /** `file` has a line for each run of a job to its end. No worker may run any more. */
  async countLost(file) {
    const waiting = new Set((await this.#queue.getWaiting()).map(({ id }) => id));
    const runs = new Map();
    for (const id of fs.readFileSync(file, 'utf8').trim().split('\n')) {
      runs.set(id, (runs.get(id) ?? 0) + 1);
    }
    const isLost = (id) => !runs.has(id) && !waiting.has(id);
    return {
      done: runs.size,
      lost: this.#ids.filter(isLost).length,
      runTwice: [...runs.values()].filter((times) => times > 1).length,
    };
  }
}

module.exports = { Producer };
