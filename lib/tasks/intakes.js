'use strict';

// The intakes: what keeps requests that wait for their first turn, as the admissions of
// uv-scheduler/http do. onIdle() and drain() count these requests, and drain() refuses some.
//
// Sections of pages that have begun come before them, as continuations do. But uv-scheduler/react
// gives sections their turns one by one, and none is queued while React renders another one. So
// intakes ask whether sections wait.

const { observers } = require('../loop/observers.js');
const { expectRequests } = require('./scheduling-state.js');

// Each has a `size`, the number of its requests that wait; `refuse(isRefused)`, which refuses those
// for which `isRefused(priority, isPosted)` is true (`isPosted`: a task of the request is queued);
// and `dispatch()`, to be called when there is room for another request.
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

// `hasWaiting(priority)` returns whether sections wait that come before a request of this priority.
function registerSections(hasWaiting) {
  sectionsWait = hasWaiting;
}

const haveSections = (priority) => sectionsWait(priority);

// The request whose priority a signal has, while it counts for how long its sections wait.
function patientRequestOf(signal) {
  const request = require('../signals/task-signal.js').prioritySlots(signal)?.decisive.request;
  return request?.isPatient ? request : undefined;
}

// Fewer sections wait.
function sectionsLeft() {
  for (const intake of intakes) intake.dispatch();
}

module.exports = {
  addIntake,
  countRequests,
  haveSections,
  isRefused,
  patientRequestOf,
  refuseRequests,
  registerSections,
  requestLeft,
  sectionsLeft,
};
