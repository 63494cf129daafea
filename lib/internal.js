'use strict';

// All that the integrations of this package use of the scheduler beside its public exports. Each
// integration is a bundle of its own, with copies of the functions of lib/ that have no state. What
// has state is here, behind one symbol of the exports, so that all bundles share it.

const { countQueued, pauseFor, taskTime } = require('./loop/event-loop.js');
const { observers } = require('./loop/observers.js');
const { onAbort } = require('./signals/abort-source.js');
const { prioritySlots } = require('./signals/task-signal.js');
const { chargeOutside, flowOfRequest, flowOfSignal } = require('./tasks/flow.js');
const {
  addIntake, drainRefuses, haveSections, registerSections, requestLeft, sectionsLeft,
} = require('./tasks/intakes.js');
const { Request } = require('./tasks/request.js');
const { postInFlow, postPeer } = require('./tasks/scheduler.js');
const { carried, signalOf } = require('./tasks/scheduling-state.js');
const { watchUntil } = require('./watch/watching.js');

// The scheduling state of the task that started the caller's work, undefined for the default.
// Unlike the state that yield() inherits, this one also passes through timers, immediates and
// events.
function carriedState() {
  const state = carried();
  if (state === undefined) return undefined;
  const { flow, prioritySource, priority } = state;
  return { signal: signalOf(state), flow, prioritySource, priority };
}

module.exports = {
  Request,
  addIntake,
  carriedState,
  chargeOutside,
  countQueued,
  drainRefuses,
  flowOfRequest,
  flowOfSignal,
  haveSections,
  onAbort,
  pauseFor,
  postInFlow,
  postPeer,
  prioritySlots,
  registerSections,
  requestLeft,
  sectionsLeft,
  // Replaces the event loop in tests.
  get substitute() {
    return require('./tasks/substitute.js');
  },
  taskTime,
  // The ContextWatch, while tasks are watched.
  get watch() {
    return observers.watch;
  },
  watchUntil,
};
