'use strict';

// When the next fake timer of a test is due: of sinon, which jest and vitest use. Each fake
// function has its clock.

const { internal } = require('./package.js');
const { undocumented } = internal;

const { waitingTimers } = undocumented;

// The time in ms by the clock of the fake timers, Infinity if no timer waits; undefined if unknown:
// for the timers of node:test, or while a fake tick or microtask waits.
function timeToNextTimer() {
  const { clock } = globalThis.setTimeout;
  const waiting = waitingTimers(clock);
  if (waiting === undefined) return undefined;
  const time = waiting.reduce((least, { callAt }) => Math.min(least, callAt), Infinity) - clock.now;
  return Number.isNaN(time) ? undefined : time;
}

module.exports = { timeToNextTimer };
