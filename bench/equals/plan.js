'use strict';

// What is measured. A cell is a workload at a load; its rows are the contenders, which all get the
// same requests, one after the other.

const { NAMES } = require('./contenders');
const { WORKLOADS } = require('./requests');

function createPlan({ workloads, loads, contenders, seconds, warm }) {
  return workloads.flatMap((workload) => loads.map((load) => ({
    workload, load,
    title: `${WORKLOADS[workload].title}, at ${load} of the capacity`,
    kinds: WORKLOADS[workload].kinds.map(({ name }) => name),
    seconds: warm + seconds,
    from: warm * 1000,
    rows: contenders.map((contender) => ({ contender, name: NAMES[contender], runs: [] })),
  })));
}

module.exports = { createPlan };
