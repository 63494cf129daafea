'use strict';

// What the IdleWorkers of this thread count, for the exporters of figures: for each queue together
// and for each worker. A queue's figures stay when its workers are closed, as counters never fall.

const { channel } = require('node:diagnostics_channel');
const { now } = require('../../lib/loop/intrinsics.js');
const { PROTOCOL } = require('../../lib/loop/protocol.js');

const REASONS = ['busy', 'no-turn', 'closing', 'draining'];

// The entry points of the package are separate files, and test runners load them into several
// contexts. They meet at a channel, as Node's own modules are the same for all. By the name of a
// queue: the sums of its workers, and which of them wait for an idle loop now.
const SHARED = Symbol.for(`uv-scheduler.jobs.${PROTOCOL}`);
const byQueue = channel('uv-scheduler:task:posted')[SHARED] ??= new Map();

function noCounts() {
  return {
    givenBack: Object.fromEntries(REASONS.map((reason) => [reason, 0])),
    discarded: 0,
    waiting: 0,
  };
}

class WorkerCounts {
  #own = noCounts();
  #ofQueue;
  #waiting = 0;
  #since;

  constructor(queue) {
    if (!byQueue.has(queue)) byQueue.set(queue, { sums: noCounts(), waiting: new Set() });
    this.#ofQueue = byQueue.get(queue);
  }

  // A job was given back, and so many milliseconds of work with it.
  giveBack(reason, discarded) {
    this.#add((counts) => {
      counts.givenBack[reason]++;
      counts.discarded += discarded / 1000;
    });
  }

  // Calls `wait()` and counts the time until it has settled. Time in which the worker waits twice
  // counts once.
  async whileWaiting(wait) {
    if (this.#waiting++ === 0) {
      this.#since = now();
      this.#ofQueue.waiting.add(this);
    }
    try {
      return await wait();
    } finally {
      this.update();
      if (--this.#waiting === 0) this.#ofQueue.waiting.delete(this);
    }
  }

  // Adds the time of the waiting that is under way.
  update() {
    if (this.#waiting === 0) return;
    const time = now();
    const seconds = (time - this.#since) / 1000;
    this.#since = time;
    this.#add((counts) => {
      counts.waiting += seconds;
    });
  }

  // A copy.
  read() {
    this.update();
    return structuredClone(this.#own);
  }

  #add(change) {
    change(this.#own);
    change(this.#ofQueue.sums);
  }
}

// The names of the queues of this thread's workers with what was counted; none if there was no
// worker.
function countsByQueue() {
  return [...byQueue].map(([queue, { sums, waiting }]) => {
    for (const counts of waiting) counts.update();
    return [queue, sums];
  });
}

module.exports = { WorkerCounts, countsByQueue };
