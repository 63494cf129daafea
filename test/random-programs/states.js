'use strict';

// Scheduling states and effective priorities, by the contract. Shares no code with the scheduler
// that it is compared with.

const RANKS = { 'background': 0, 'user-visible': 2, 'user-blocking': 4 };
const IDLE = -1;
const USER_VISIBLE = 2;
const USER_VISIBLE_CONTINUATION = 3;
const USER_BLOCKING = 4;

// The state outside any task.
const NO_STATE = { abortSource: undefined, prioritySource: undefined, priority: 'user-visible' };

// The scheduling state of a task.
function stateFromOptions(signal, priority) {
  const prioritySource = priority === undefined ? signal?.prioritySource : undefined;
  return {
    abortSource: signal,
    prioritySource,
    priority: prioritySource ? undefined : (priority ?? signal?.priority ?? 'user-visible'),
  };
}

// The scheduling state of a continuation.
function stateOfContinuation(signal, priority, inherited) {
  if (signal === undefined && priority === undefined) return inherited;
  if (signal === 'inherit' && priority === undefined) return inherited;
  const abortSource = signal === 'inherit' ? inherited.abortSource : signal;
  if (priority === 'inherit') return { ...inherited, abortSource };
  if (signal === 'inherit') return { abortSource, prioritySource: undefined, priority };
  return stateFromOptions(signal, priority);
}

function priorityOf({ state: { prioritySource, priority } }) {
  return prioritySource?.priority ?? priority;
}

// The effective priority of an entry.
function rank(entry) {
  if (entry.kind === 'idle') return IDLE;
  return RANKS[priorityOf(entry)] + (entry.isContinuation ? 1 : 0);
}

module.exports = {
  NO_STATE, RANKS, USER_BLOCKING, USER_VISIBLE, USER_VISIBLE_CONTINUATION,
  priorityOf, rank, stateFromOptions, stateOfContinuation,
};
