'use strict';

// The settings of the scheduler that random programs run with, all in milliseconds, and what the
// contract leaves open with each.

// No program uses it up, nor the head start of user-visible continuations, a fifth of it.
const LONG_SLICE = 10_000;
const SHORT_SLICES = [5, 1, 0.2, 0.01];

// Background work that has waited for so long is overdue.
const MAX_WAITS = [5, 1, 0.1];

// What overdue work counts as, by its effective priority. When it is reached at the latest is open:
// it may still have its own.
const OVERDUE = { 0: 2, 1: 3 };

// For configure(), before a program begins.
function toConfiguration({ slice, maxWait }) {
  return { timeSlice: slice, backgroundTimeout: maxWait ?? Infinity };
}

// Whether it is known which of tasks and callbacks comes first: not with a slice, or a head start,
// that can be used up, and not where work can be overdue.
function knowsTurns({ slice, maxWait }) {
  return slice === LONG_SLICE && maxWait === undefined;
}

module.exports = { LONG_SLICE, MAX_WAITS, OVERDUE, SHORT_SLICES, knowsTurns, toConfiguration };
