'use strict';

// Scheduling with a signal: the states that come from signals, and the queues of tasks that can be
// aborted or follow a priority. Loaded with the first signal that a program uses.
// Source: "Scheduling Tasks and Continuations", schedule a postTask task, schedule a yield
// continuation.

const { abortSource, reasonOfAborted } = require('../signals/abort-source.js');
const { isAborted } = require('../signals/aborted.js');
const { fixedQueue, postRemovable } = require('../loop/event-loop.js');
const { fixedState, followingState, priorityOf } = require('./scheduling-state.js');
const { decisiveSlots, prioritySlots, signalQueue } = require('../signals/task-signal.js');

// Computes the scheduling state from a signal, and a priority if there is one.
function stateWith(signal, priority) {
  const source = abortSource(signal);
  if (priority !== undefined) return fixedState(source, priority);
  const slots = prioritySlots(signal);
  if (slots === undefined) return fixedState(source, 'user-visible');
  if (slots.isFixed) return fixedState(source, slots.priority);
  return followingState(source, signal);
}

// Computes the scheduling state of a continuation that has a signal or inherits. Each of `signal`
// and `priority` may be 'inherit' or undefined. `inherited` is the current state.
function stateOfContinuation(signal, priority, inherited) {
  if (signal !== 'inherit' && priority !== 'inherit') return stateWith(signal, priority);
  if (priority === 'inherit' && signal !== 'inherit') {
    const source = signal === undefined ? undefined : abortSource(signal);
    const prioritySource = inherited?.prioritySource;
    if (prioritySource !== undefined) return followingState(source, prioritySource);
    return fixedState(source, priorityOf(inherited));
  }
  if (priority === undefined || priority === 'inherit') return inherited;
  return fixedState(inherited?.abortSource, priority);
}

// The same for pieces(), which inherits what is not given. A TaskSignal brings its priority along,
// and a priority of 'inherit' alone means as with yield() that no signal is inherited.
function stateOfPieces(signal, priority, inherited) {
  if (signal === undefined) {
    const inheritsSignal = priority !== 'inherit';
    return stateOfContinuation(inheritsSignal ? 'inherit' : undefined, priority, inherited);
  }
  const hasPriority = priority !== undefined || prioritySlots(signal) !== undefined;
  return stateOfContinuation(signal, hasPriority ? priority : 'inherit', inherited);
}

// Selects the scheduler task queue for a state with a signal, and queues the task in it. Returns
// false if the task was aborted meanwhile.
function schedule(task, state, isContinuation, delay, isReferenced, maxWait) {
  const { abortSource: source, prioritySource, priority } = state;
  if (source !== undefined && !source.add(task)) return false;
  if (prioritySource === undefined) {
    postRemovable(task, fixedQueue(priority, isContinuation), delay, isReferenced, maxWait);
  } else {
    const queue = signalQueue(prioritySource, isContinuation);
    // Not the attribute, which can be redefined.
    const slots = prioritySlots(prioritySource);
    queue.post(task, slots.priority, delay, isReferenced, maxWait);
    const request = decisiveSlots(slots).request ?? state.run?.patientRequest;
    if (request?.isPatient) request.note(task, delay);
  }
  return true;
}

module.exports = {
  isAborted,
  reasonOfAborted,
  schedule,
  stateOfContinuation,
  stateOfPieces,
  stateWith,
};
