'use strict';

// When the next fake timer of a test is due. The clock of the timers of sinon, which jest and
// vitest use, is a property of each fake function, and has the timers in `timers`: a Map or an
// object, by version. Neither is documented. `countTimers()` is, and tells whether these are all.

// The time in ms by the clock of the fake timers, Infinity if no timer waits; undefined if unknown:
// for the timers of node:test, or while a fake tick or microtask waits.
function timeToNextTimer() {
  const { clock } = globalThis.setTimeout;
  if (typeof clock?.countTimers !== 'function') return undefined;
  const { timers = {}, now } = clock;
  const waiting = [...(timers.values?.() ?? Object.values(timers))];
  if (waiting.length !== clock.countTimers()) return undefined;
  const time = waiting.reduce((least, { callAt }) => Math.min(least, callAt), Infinity) - now;
  return Number.isNaN(time) ? undefined : time;
}

module.exports = { timeToNextTimer };
