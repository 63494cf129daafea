'use strict';

// Intakes: queues of requests that wait for their first turn, such as the admissions of
// uv-scheduler/http. onIdle() and drain() count these requests, and drain() refuses some.

const { observers } = require('../loop/observers.js');
const { expectRequests } = require('./scheduling-state.js');

// Each has a `size`, the number of its requests that wait, and `refuseForDrain()`, which refuses
// those for which drainRefuses() is true.
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

function refuseRequests() {
  for (const intake of intakes) intake.refuseForDrain();
}

// Whether drain() refuses a request of this priority that has not started. `isPosted` says whether
// its task is queued.
function drainRefuses(priority, isPosted) {
  return observers.drain?.refusesRequest(priority, isPosted) === true;
}

// A request has left without starting a task.
function requestLeft() {
  observers.released?.();
}

module.exports = {
  addIntake,
  countRequests,
  drainRefuses,
  refuseRequests,
  requestLeft,
};
