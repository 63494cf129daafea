'use strict';

// The counts of an admission, by priority, and the sums of all admissions of this thread for the
// exporters.

const { channel } = require('node:diagnostics_channel');
const internal = require('../../internal.js');
const { OTHERS } = require('./route-table.js');

const { NANOSECONDS_PER_MILLISECOND } = internal.time;
const { PRIORITIES } = internal.webidl;

// The most routes that exporters tell apart.
const MOST_ROUTES = 100;

// The entry points of the package are separate files, so the admissions are a property of a
// channel, as in bullmq/counts.js. An admission is kept for its counts, as counters never fall.
const SHARED = Symbol.for(`uv-scheduler.admissions.${internal.PROTOCOL}`);
const { admissions, recorders } = channel('uv-scheduler:task:posted')[SHARED] ??=
  { admissions: new Set(), recorders: new Set() };

class PriorityCounts {
  admitted = 0;
  refused = { wait: 0, queue: 0, draining: 0, heap: 0 };
  observed = 0;
  wouldRefuse = 0;
  left = 0;
  withdrawn = 0;
  raised = 0;
  threadTime = 0;
  running = 0;

  #priority;
  // Made with the first wait, as it loads what watches tasks.
  #wait = undefined;

  constructor(priority) {
    this.#priority = priority;
  }

  // A request was admitted after a wait in ms.
  admit(wait) {
    this.admitted++;
    this.running++;
    for (const record of recorders) record(this.#priority, wait);
    this.#waits().record(Math.round(wait * NANOSECONDS_PER_MILLISECOND));
  }

  #waits() {
    this.#wait ??= new internal.watch.Distribution();
    return this.#wait;
  }

  // A copy.
  read({ queued, maxRunning }) {
    const { admitted, refused, left, withdrawn, raised, threadTime, running } = this;
    const { observed, wouldRefuse } = this;
    return {
      admitted,
      refused: { ...refused },
      observed,
      wouldRefuse,
      left,
      withdrawn,
      raised,
      threadTime,
      queued,
      running,
      // JSON has no Infinity.
      maxRunning: maxRunning < Infinity ? maxRunning : null,
      wait: new internal.watch.TimeDistribution(this.#waits().copy()),
    };
  }
}

function noCounts() {
  return Object.fromEntries(PRIORITIES.map((priority) => [priority, new PriorityCounts(priority)]));
}

// A copy of the counts for the application. `stateOf(priority)` returns the number of waiting
// requests, `queued`, and the bound `maxRunning`.
function toCounts(counts, stateOf) {
  return Object.fromEntries(PRIORITIES.map((priority) => {
    return [priority, counts[priority].read(stateOf(priority))];
  }));
}

function register(admission) {
  admissions.add(admission);
}

// Calls `record(priority, wait)` for each admitted request, with the wait in milliseconds. Returns
// a function that ends this.
function recordWaits(record) {
  recorders.add(record);
  return () => recorders.delete(record);
}

// The sums of all admissions by priority; empty if there are no admissions.
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
      observed: sum(({ observed }) => observed),
      wouldRefuse: sum(({ wouldRefuse }) => wouldRefuse),
      left: sum(({ left }) => left),
      withdrawn: sum(({ withdrawn }) => withdrawn),
      raised: sum(({ raised }) => raised),
      running: sum(({ running }) => running),
      queued: sum(({ queued }) => queued),
      wait: {
        count: sum(({ wait }) => wait.count),
        sum: sum(({ wait }) => wait.sum),
        buckets: each[0].wait.buckets.map(({ le }, i) => {
          return { le, count: sum(({ wait }) => wait.buckets[i].count) };
        }),
      },
    }];
  });
}

// The sums of all admissions by route, whose names are bounded.
function allRoutes() {
  const sums = new Map();
  for (const { route, requests, refused, threadTime } of routesOf(admissions)) {
    const name = sums.has(route) || sums.size < MOST_ROUTES ? route : OTHERS;
    const sum = sums.get(name) ?? { requests: 0, refused: 0, threadTime: 0 };
    sum.requests += requests;
    sum.refused += refused;
    sum.threadTime += threadTime;
    sums.set(name, sum);
  }
  return [...sums];
}

// Those of another copy of the package may be older.
const routesOf = (all) => [...all].flatMap((admission) => admission.endedRoutes?.() ?? []);

module.exports = { allCounts, allRoutes, noCounts, recordWaits, register, toCounts };
