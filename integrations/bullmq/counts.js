'use strict';

// The counts of this thread's IdleWorkers, by worker, and by queue for the exporters of metrics.
// The counts of a queue stay when its workers are closed, as counters never fall.

const { channel } = require('node:diagnostics_channel');
const { PROTOCOL, time } = require('../internal.js');

const { now } = time;

const REASONS = ['busy', 'no-turn', 'closing', 'draining'];

// The sums of the workers by the name of their queue, and the workers that wait for an idle loop
// now. The entry points of the package are separate files, and test runners load them into several
// contexts. So the counts are a property of a channel, as all of them have the same modules of
// Node.
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

  // A job was given back; `discarded` is its run time in ms.
  giveBack(reason, discarded) {
    this.#add((counts) => {
      counts.givenBack[reason]++;
      counts.discardedTime += discarded;
    });
  }

  // Calls `wait()` and counts the time until its promise has settled. Overlapping waits of the
  // worker count once.
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

  // Adds the time of a wait under way.
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

// The queues of this thread's workers: pairs of a name and counts.
function countsByQueue() {
  return [...byQueue].map(([queue, { sums, waiting }]) => {
    for (const counts of waiting) counts.update();
    return [queue, sums];
  });
}

module.exports = { WorkerCounts, countsByQueue };
