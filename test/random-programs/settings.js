'use strict';

// The settings of the scheduler that random programs run with, the bounds of single tasks, all in
// milliseconds, and what the contract leaves open with each.

// No program uses it up, nor the head start of user-visible continuations, a fifth of it.
const LONG_SLICE = 10_000;
const SHORT_SLICES = [5, 1, 0.2, 0.01];

// User-visible and background work that has waited for so long is overdue.
const MAX_WAITS = [5, 1, 0.1];

// The bounds that tasks have of their own. Programs are passed on as JSON.
const OWN_MAX_WAITS = [5, 1, 0.1, 600_000, 'Infinity'];

// A delay that no program lasts for.
const FAR = 600_000;

// The effective priority of overdue work.
const OVERDUE = 3.5;

// For configure(), before a program begins.
function toConfiguration({ slice, maxWait = Infinity }) {
  return { timeSlice: slice, maxWait: { 'user-visible': maxWait, 'background': maxWait } };
}

// The highest effective priority that overdue work can have. One task of it also starts when the
// slice is spent, whatever else waits.
function overdueRank({ slice }) {
  return slice === LONG_SLICE ? OVERDUE : Infinity;
}

// No slice is longer in a program, whatever it has set.
function longestSlice({ slice }) {
  return slice === LONG_SLICE ? slice : Math.max(...SHORT_SLICES);
}

// Whether it is known which of tasks and callbacks comes first: not with a slice, or a head start,
// that can be used up, and not where work can be overdue.
function knowsTurns({ slice, maxWait, hasOwnBounds }) {
  return slice === LONG_SLICE && maxWait === undefined && !hasOwnBounds;
}

// Steps and members of steps after which the order of tasks depends on the time, or on I/O. Whether
// pieces() yields to equals does.
const TIMED_STEPS = ['drain', 'io', 'nested', 'pieces', 'slice', 'throw', 'timer', 'wait'];
const TIMED = new RegExp(
  `"name":"(${TIMED_STEPS.join('|')})"|"(delay|timeout)":\\d|"on":"(io|timer)"|"unhandled"`);

// Whether the order of all that a program starts is the same each time.
function hasOneOrder(program) {
  const { entry } = program;
  return knowsTurns(program) && entry !== 'io' && !TIMED.test(JSON.stringify(program));
}

module.exports = {
  FAR,
  LONG_SLICE,
  MAX_WAITS,
  OWN_MAX_WAITS,
  SHORT_SLICES,
  hasOneOrder,
  knowsTurns,
  longestSlice,
  overdueRank,
  toConfiguration,
};
