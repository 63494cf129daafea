'use strict';

// The intakes: what keeps requests that wait for their first turn, as the admissions of
// uv-scheduler/http do. onIdle() and drain() count these requests, and drain() refuses some.

const { observers } = require('../loop/observers.js');
const { expectRequests } = require('./scheduling-state.js');

// Each has a `size`, the number of its requests that wait, and `refuse(isRefused)`, which refuses
// those for which `isRefused(priority, isPosted)` is true. `isPosted`: a task of the request is
// queued.
const intakes = new Set();

function addIntake(intake) {
  intakes.add(intake);
  expectRequests();
}

function countRequests() {
  let count = 0;
  for (const { size } of intakes) count += size;
  return count;
}

function refuseRequests(isRefused) {
  for (const intake of intakes) intake.refuse(isRefused);
}

// Whether drain() refuses a request of this priority that arrives now.
function isRefused(priority) {
  return observers.refusesRequest?.(priority, false) === true;
}

// A request waits no more, and no task of it has started.
function requestLeft() {
  observers.released?.();
}

module.exports = { addIntake, countRequests, isRefused, refuseRequests, requestLeft };
