'use strict';

// The clock of watch/: nanoseconds of libuv's clock, and milliseconds on the clock of
// `performance.now()`.

const { performance } = require('node:perf_hooks');
const { TIME_HIGH, TIME_LOW } = require('../loop/protocol.js');

const NANOSECONDS_PER_MILLISECOND = 1e6;
const NANOSECONDS_PER_SECOND = 1e9;

// The number of times that both clocks are compared to find the origin of `performance.now()`.
const COMPARISONS = 20;

// The time when `performance.now()` was 0. `read()` returns nanoseconds. Uses the duration of the
// process instead of `performance.now()`, as fake timers do not replace it; Deno has only the
// latter.
function findOrigin(read) {
  let earliest = -Infinity;
  let latest = Infinity;
  for (let i = 0; i < COMPARISONS; i++) {
    const before = read();
    const now = performance.nodeTiming.duration ?? performance.now();
    const between = now * NANOSECONDS_PER_MILLISECOND;
    const after = read();
    earliest = Math.max(earliest, before - between);
    latest = Math.min(latest, after - between);
  }
  return (earliest + latest) / 2;
}

// The nanoseconds that the binding has read last. Small, so that V8 inlines it: otherwise each
// returned number would be allocated.
function timeIn(words) {
  return words[TIME_HIGH] * 2 ** 32 + words[TIME_LOW];
}

// Whether Node's `process.hrtime()` is the clock of `read()`. False only if unknown fake timers
// have replaced it.
function isSameClock(hrtime, read) {
  const before = read();
  const between = timeOf(hrtime());
  return before <= between && between <= read();
}

// Converts a result of `process.hrtime()` to nanoseconds.
function timeOf(pair) {
  return pair[0] * NANOSECONDS_PER_SECOND + pair[1];
}

module.exports = {
  NANOSECONDS_PER_MILLISECOND,
  NANOSECONDS_PER_SECOND,
  findOrigin,
  isSameClock,
  timeIn,
  timeOf,
};
