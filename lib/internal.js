'use strict';

// All that the integrations of this package use of the scheduler beside its public exports. Each
// integration is a bundle of its own and has no copy of a file of lib/: what it needs is here,
// behind one symbol of the exports, so that all bundles and all copies of the package share it.

const { isAdmissionOff, isOff } = require('./loading/disabled.js');
const undocumented = require('./loading/undocumented.js');
const { tell } = require('./loop/event-loop.js');
const { observers } = require('./loop/observers.js');
const platform = require('./loop/platform.js');
const { ASK, NO_TASK, PROTOCOL, RANK_OF, TELL } = require('./loop/protocol.js');
const { Ring, unlink } = require('./loop/ring.js');
const time = require('./loop/time.js');
const { onAbort } = require('./signals/abort-source.js');
const { abortReason, isAborted } = require('./signals/aborted.js');
const { prioritySlots } = require('./signals/task-signal.js');
const ledger = require('./tasks/ledger.js');
const { chargeOutside, flowOfRequest, flowOfSignal } = require('./tasks/flow.js');
const {
  addIntake, drainRefuses, requestLeft,
} = require('./tasks/intakes.js');
const { Request } = require('./tasks/request.js');
const { postInFlow, postPeer } = require('./tasks/scheduler.js');
const { carried, inObserved, signalOf } = require('./tasks/scheduling-state.js');
const { shouldYieldAs } = require('./tasks/should-yield.js');
const { watchUntil } = require('./watch/watching.js');
const webidl = require('./webidl/conversions.js');
const { withCode } = require('./webidl/error-code.js');
const { isMisspelt } = require('./webidl/unknown-option.js');

// The scheduling state of the task that started the caller's work, undefined for the default.
// Unlike the state that yield() inherits, this one also passes through timers, immediates and
// events.
function carriedState() {
  const state = carried();
  if (state === undefined) return undefined;
  const { flow, prioritySource, priority } = state;
  return { signal: signalOf(state), flow, prioritySource, priority };
}

// The parts of integrations that have state, by name.
const parts = new Map();

// A part of an integration, of the copy of the package that has loaded it first. `load()` makes it.
function sharePart(name, load) {
  if (!parts.has(name)) parts.set(name, load());
  return parts.get(name);
}

module.exports = {
  ASK,
  NO_TASK,
  PROTOCOL,
  RANK_OF,
  Request,
  Ring,
  abortReason,
  addIntake,
  carriedState,
  chargeOutside,
  drainRefuses,
  flowOfRequest,
  flowOfSignal,
  inObserved,
  isAborted,
  isAdmissionOff,
  isMisspelt,
  isOff,
  ledger,
  onAbort,
  // Begins a pause, in which no work below user-blocking starts unless it is overdue. Replaces the
  // pause before; 0 ends it.
  pauseFor: (milliseconds) => tell(TELL.PAUSE, 0, milliseconds),
  platform,
  postInFlow,
  postPeer,
  prioritySlots,
  requestLeft,
  sharePart,
  shouldYieldAs,
  time,
  undocumented,
  unlink,
  watchUntil,
  webidl,
  withCode,
  // The rest is loaded when it is first read.
  get guarantees() {
    return require('./loading/guarantees.js').guarantees;
  },
  get heap() {
    return require('./loop/heap.js');
  },
  // Replaces the event loop in tests.
  get substitute() {
    return require('./tasks/substitute.js');
  },
  // The ContextWatch, while tasks are watched.
  get taskWatch() {
    return observers.watch;
  },
  get watch() {
    return require('./watch/index.js').parts();
  },
};
