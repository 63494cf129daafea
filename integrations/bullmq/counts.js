'use strict';

// What the IdleWorkers of this thread count, for the exporters of metrics: for each queue
// together and for each worker. The counts of a queue stay when its workers are closed, as counters
// never fall.

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
    discardedTime: 0,
    waitTime: 0,
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
      counts.discardedTime += discarded;
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
    const waited = time - this.#since;
    this.#since = time;
    this.#add((counts) => {
      counts.waitTime += waited;
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
