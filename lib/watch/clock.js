'use strict';

// The clock of all that watches: nanoseconds of libuv's clock, and milliseconds by the clock of
// `performance.now()`.

const { performance } = require('node:perf_hooks');
const { TIME_HIGH, TIME_LOW } = require('../loop/protocol.js');

const NANOSECONDS_PER_MILLISECOND = 1e6;
const NANOSECONDS_PER_SECOND = 1e9;

// How often both clocks are compared to find where `performance.now()` counts from.
const COMPARISONS = 20;

// When `performance.now()` was 0. `read()` returns nanoseconds. The duration of the process is the
// same time, and fake timers do not replace it.
function findOrigin(read) {
  let earliest = -Infinity;
  let latest = Infinity;
  for (let i = 0; i < COMPARISONS; i++) {
    const before = read();
    const between = performance.nodeTiming.duration * NANOSECONDS_PER_MILLISECOND;
    const after = read();
    earliest = Math.max(earliest, before - between);
    latest = Math.min(latest, after - between);
  }
  return (earliest + latest) / 2;
}

// The nanoseconds that the binding has read last. A time that a function returns takes memory,
// unless the function is inlined, as this small one is.
function timeIn(words) {
  return words[TIME_HIGH] * 2 ** 32 + words[TIME_LOW];
}

// Whether Node's `process.hrtime()` is the clock that `read()` reads. It is, unless something other
// than the fake timers that we know has replaced it.
function isSameClock(hrtime, read) {
  const before = read();
  const between = timeOf(hrtime());
  return before <= between && between <= read();
}

// The nanoseconds of what `process.hrtime()` returns.
function timeOf(pair) {
  return pair[0] * NANOSECONDS_PER_SECOND + pair[1];
}

// Nanoseconds that the loop has waited for events.
function idleTime() {
  return performance.nodeTiming.idleTime * NANOSECONDS_PER_MILLISECOND;
}

module.exports = {
  NANOSECONDS_PER_MILLISECOND,
  NANOSECONDS_PER_SECOND,
  findOrigin,
  idleTime,
  isSameClock,
  timeIn,
  timeOf,
};
