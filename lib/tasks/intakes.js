'use strict';

// Intakes: queues of requests that wait for their first turn, such as the admissions of
// uv-scheduler/http. onIdle() and drain() count these requests, and drain() refuses some.
//
// Sections of started pages run before new requests, like continuations. But uv-scheduler/react
// posts sections one by one, and none is queued while React renders another one. So intakes ask
// whether sections wait.

const { observers } = require('../loop/observers.js');
const { expectRequests } = require('./scheduling-state.js');

// Each has a `size`, the number of its requests that wait; `refuseForDrain()`, which refuses those
// for which drainRefuses() is true; and `dispatch()`, called when another request may start.
const intakes = new Set();

let sectionsWait = () => false;

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

// `hasWaiting(priority)` returns whether sections wait that run before a request of this priority.
function registerSections(hasWaiting) {
  sectionsWait = hasWaiting;
}

const haveSections = (priority) => sectionsWait(priority);

// The number of waiting sections has decreased.
function sectionsLeft() {
  for (const intake of intakes) intake.dispatch();
}

module.exports = {
  addIntake,
  countRequests,
  drainRefuses,
  haveSections,
  refuseRequests,
  registerSections,
  requestLeft,
  sectionsLeft,
};
