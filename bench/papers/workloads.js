'use strict';

// The workloads of "When Idling is Ideal: Optimizing Tail-Latency for Heavy-Tailed Datacenter
// Workloads with Perséphone" (SOSP 2021): which types of requests come, how often, and how long
// each takes. The times and shares are those of the schedules in the paper's artifact
// (github.com/maxdml/psp), the times multiplied by 100.

const arrivals = require('../harness/arrivals');
const { sum } = require('../harness/statistics');

// The work of a request that can be cut consists of units of at most this length, in ms.
const UNIT = 0.05;

// Of each `of` requests, on average, so many are of a type, which takes `ms`. The shortest type is
// the first one. The priorities are those of the groups of types with similar times, as the paper
// makes them. `length` multiplies the seconds for which a workload is measured.
const WORKLOADS = {
  high: {
    title: 'High bimodal', length: 1,
    types: [
      { name: 'short', of: 1, ms: 0.1, priority: 'user-blocking' },
      { name: 'long', of: 1, ms: 10, priority: 'user-visible' },
    ],
  },
  extreme: {
    title: 'Extreme bimodal', length: 0.7,
    types: [
      { name: 'short', of: 199, ms: 0.05, priority: 'user-blocking' },
      { name: 'long', of: 1, ms: 50, priority: 'user-visible' },
    ],
  },
  store: {
    title: 'Key-value store with scans', length: 1.6,
    types: [
      { name: 'get', of: 1, ms: 0.15, priority: 'user-blocking' },
      { name: 'scan', of: 1, ms: 63.5, priority: 'user-visible' },
    ],
  },
  tpcc: {
    title: 'TPC-C', length: 0.7,
    types: [
      { name: 'Payment', of: 11, ms: 0.57, priority: 'user-blocking' },
      { name: 'OrderStatus', of: 1, ms: 0.6, priority: 'user-blocking' },
      { name: 'NewOrder', of: 11, ms: 2, priority: 'user-visible' },
      { name: 'Delivery', of: 1, ms: 8.8, priority: 'background' },
      { name: 'StockLevel', of: 1, ms: 10, priority: 'background' },
    ],
  },
};

const typeOf = (workload, name) => WORKLOADS[workload].types.find((type) => type.name === name);

// The work of a type as units that can be cut: their `count`, and the `ms` that each takes.
function unitsOf({ ms }) {
  const count = Math.ceil(ms / UNIT);
  return { count, ms: ms / count };
}

// The paths of requests of all types, each as often as its share.
const pathsOf = (workload) => WORKLOADS[workload].types.flatMap(({ name, of }) =>
  new Array(of).fill(`/${name}`));

// Returns the visitors as { time, name }, in the order of their times in ms.
function createVisitors(workload, settings) {
  const { types } = WORKLOADS[workload];
  const all = sum(types.map(({ of }) => of));
  const kinds = types.map(({ name, of }) => ({ name, share: of / all }));
  return arrivals.createVisitors(kinds, settings);
}

module.exports = { UNIT, WORKLOADS, createVisitors, pathsOf, typeOf, unitsOf };
