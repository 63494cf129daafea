'use strict';

// Scheduling states and effective priorities, by the contract. Shares no code with the scheduler
// that it is compared with.

const { overdueRank } = require('./settings.js');

const RANKS = { 'background': 0, 'user-visible': 2, 'user-blocking': 4 };
const IDLE = -1;
const BACKGROUND_CONTINUATION = 1;
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

// The effective priority of an entry that is not overdue.
function rank({ kind, isContinuation, state: { prioritySource, priority } }) {
  if (kind === 'idle') return IDLE;
  return RANKS[prioritySource?.priority ?? priority] + (isContinuation ? 1 : 0);
}

// The highest effective priority that an entry may have in a program. Whether it was overdue when
// the scheduler chose is open.
function highestRank(entry, program) {
  return mayBeOverdue(entry, program) ? overdueRank(program) : rank(entry);
}

// Whether an entry may be overdue now.
function mayBeOverdue(entry, program) {
  return performance.now() - entry.earliest >= boundOf(entry, program, Math.min);
}

// Whether an entry was overdue at that time for certain. Entries that another program has left were
// queued under other settings.
function isOverdueAt(entry, program, time) {
  return !entry.isLeft && time - entry.latest > boundOf(entry, program, Math.max);
}

// After how many milliseconds in its queue an entry is overdue: its own bound, or the program's.
// `choose` says which of them counts where that is open.
function boundOf(entry, { maxWait = Infinity }, choose) {
  const own = rank(entry);
  if (own <= IDLE || own >= USER_BLOCKING) return Infinity;
  const bound = entry.maxWait ?? maxWait;
  return entry.isBoundOpen ? choose(bound, maxWait) : bound;
}

// An entry, for a person who reads a trace.
function describe({ delay, isReferenced, state, isStarted, expected }) {
  const { abortSource, prioritySource } = state;
  const words = [];
  if (!isReferenced) words.push('unreferenced');
  if (delay > 0) words.push(`delay ${delay}`);
  if (abortSource !== undefined) words.push(`aborted by ${abortSource.name}`);
  if (prioritySource !== undefined) words.push(`follows ${prioritySource.name}`);
  if (isStarted) words.push('was started');
  if (expected !== undefined) words.push(expected[0]);
  return words.join(', ');
}

module.exports = {
  BACKGROUND_CONTINUATION,
  NO_STATE,
  RANKS,
  USER_BLOCKING,
  USER_VISIBLE,
  USER_VISIBLE_CONTINUATION,
  boundOf,
  describe,
  highestRank,
  isOverdueAt,
  mayBeOverdue,
  rank,
  stateFromOptions,
  stateOfContinuation,
};
