'use strict';

// What an admission counts, by priority, and the sums of all of this thread for the exporters.

const { channel } = require('node:diagnostics_channel');

const { Distribution } = require('../../../lib/watch/distribution.js');
const { PROTOCOL } = require('../../../lib/loop/protocol.js');
const { PRIORITIES } = require('../../../lib/webidl/conversions.js');

// The entry points of the package are separate files. They meet at a channel, as bullmq/counts.js
// does. An admission is kept with its counts, as counters never fall.
const SHARED = Symbol.for(`uv-scheduler.admissions.${PROTOCOL}`);
const { admissions, recorders } = channel('uv-scheduler:task:posted')[SHARED] ??=
  { admissions: new Set(), recorders: new Set() };

const NANOSECONDS_PER_MILLISECOND = 1e6;
const NANOSECONDS_PER_SECOND = 1e9;

class PriorityCounts {
  admitted = 0;
  refused = { wait: 0, queue: 0, drain: 0 };
  left = 0;
  withdrawn = 0;
  raised = 0;
  running = 0;
  delay = new Distribution();

  #priority;

  constructor(priority) {
    this.#priority = priority;
  }

  // It has waited for so many milliseconds.
  admit(delay) {
    this.admitted++;
    this.running++;
    for (const record of recorders) record(this.#priority, delay);
    this.delay.record(Math.round(delay * NANOSECONDS_PER_MILLISECOND));
  }

  read(waiting) {
    const { admitted, refused, left, withdrawn, raised, running, delay } = this;
    return {
      admitted,
      refused: { ...refused },
      left,
      withdrawn,
      raised,
      waiting,
      running,
      delay: read(delay),
    };
  }
}

// What a Distribution has now.
function read(distribution) {
  const { count, sum, buckets } = distribution;
  return {
    count,
    sum: sum / NANOSECONDS_PER_SECOND,
    buckets,
    get histogram() {
      return distribution.histogram;
    },
    toJSON: () => distribution.toJSON(),
  };
}

function noCounts() {
  return Object.fromEntries(PRIORITIES.map((priority) => [priority, new PriorityCounts(priority)]));
}

function register(admission) {
  admissions.add(admission);
}

// Calls `record(priority, delay)` for each request that is admitted, with its wait in milliseconds.
// Returns a function that ends it.
function recordDelays(record) {
  recorders.add(record);
  return () => recorders.delete(record);
}

// By priority: numbers and refusals of all admissions, and their delays; none if there is none.
function allCounts() {
  const read = [...admissions].map((admission) => admission.read());
  if (read.length === 0) return [];
  return PRIORITIES.map((priority) => {
    const each = read.map((counts) => counts[priority]);
    const sum = (of) => each.reduce((total, counts) => total + of(counts), 0);
    return [priority, {
      admitted: sum(({ admitted }) => admitted),
      refused: Object.fromEntries(Object.keys(each[0].refused).map((reason) => {
        return [reason, sum(({ refused }) => refused[reason])];
      })),
      left: sum(({ left }) => left),
      withdrawn: sum(({ withdrawn }) => withdrawn),
      raised: sum(({ raised }) => raised),
      running: sum(({ running }) => running),
      waiting: sum(({ waiting }) => waiting),
      delay: {
        count: sum(({ delay }) => delay.count),
        sum: sum(({ delay }) => delay.sum),
        buckets: each[0].delay.buckets.map(({ le }, i) => {
          return { le, count: sum(({ delay }) => delay.buckets[i].count) };
        }),
      },
    }];
  });
}

module.exports = { allCounts, noCounts, recordDelays, register };
