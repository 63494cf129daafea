'use strict';

// Every reading of time: the clock, timers, turns of the loop, and how long the thread has idled
// and computed. All other files of lib/ and integrations/ take these from here, so that the source
// of a test scheduler replaces them for all.
//
// The functions that fake timers replace at run time are captured when the package loads.

const { channel } = require('node:diagnostics_channel');
const timers = require('node:timers');
const realm = require('../loading/realm.js');
const { original } = require('../loading/undocumented.js');

const { process } = globalThis;

const NANOSECONDS_PER_MILLISECOND = 1e6;

// In milliseconds. Node would treat longer times as 1 ms.
const LONGEST_TIMER = 2 ** 31 - 1;

// Not the global: contexts of `vm` have none, and fake timers may have replaced it.
const capture = () => realm.Object.assign(new realm.Object(), timers, {
  hrtime: original(process.hrtime, 'hrtime'),
  setImmediate: original(timers.setImmediate, 'setImmediate'),
});

// The host's functions, and the source of a test scheduler, if there is one. Bundles have copies of
// this file, and so have the contexts of a thread in test runners and `vm`: all share these, as all
// contexts have the same modules of Node. A source has these members:
//
//   now()        nanoseconds
//   idle()       nanoseconds for which the loop has waited
//   turns()      the number of turns of the loop
//   setTimer(callback, ms)   calls back once; returns an object with `cancel`, `ref` and `unref`
//   setTurn(callback)   the same in the next turn of the loop
const SLOT = Symbol.for('uv-scheduler.time');
const shared = sharedBy(channel('uv-scheduler:time'));
const { clearImmediate, clearTimeout, hrtime: hostHrtime, setImmediate, setTimeout } = shared.host;

// Node keeps a channel only as long as something refers to it.
function sharedBy(own) {
  const make = () => realm.Object.assign(new realm.Object(), {
    channel: own, host: capture(), source: undefined,
  });
  return own[SLOT] ??= make();
}

// Reads from another source; undefined restores the host.
function setSource(source) {
  shared.source = source;
}

// Whether a test scheduler keeps the time.
const isSimulated = () => shared.source !== undefined;

// The time as `process.hrtime()` returns it.
function hrtime() {
  return shared.source === undefined ? hostHrtime() : [0, shared.source.now()];
}

// The time in milliseconds by the clock of `performance.now()`, from another origin. Reading the
// global `performance` for the first time takes a megabyte.
function now() {
  const [seconds, nanoseconds] = hrtime();
  return seconds * 1e3 + nanoseconds / NANOSECONDS_PER_MILLISECOND;
}

// Bun and Deno: `performance.now()` takes less time than hrtime(), whose result is an array.
const isForeign = process.versions.bun !== undefined || process.versions.deno !== undefined;
const performanceNow = isForeign ? performance.now.bind(performance) : undefined;

// The time of the host in nanoseconds by the clock of hrtime().
const readNanoseconds = isForeign ? readPerformance : readTime;

function readTime() {
  const [seconds, nanoseconds] = hostHrtime();
  return seconds * 1e9 + nanoseconds;
}

function readPerformance() {
  return Math.round(performanceNow() * NANOSECONDS_PER_MILLISECOND);
}

// Calls `callback` after the given milliseconds, at most after 24 days.
function setTimer(callback, milliseconds) {
  const time = Math.min(milliseconds, LONGEST_TIMER);
  const { source } = shared;
  return source === undefined ? setTimeout(callback, time) : source.setTimer(callback, time);
}

function clearTimer(timer) {
  if (timer?.cancel === undefined) clearTimeout(timer);
  else timer.cancel();
}

// Calls `callback` each time that so many milliseconds have passed. Returns a function that ends
// the calls. They keep no process alive.
function setRepeated(callback, milliseconds) {
  let timer;
  const again = () => {
    timer = setTimer(() => {
      again();
      callback();
    }, milliseconds);
    timer.unref();
  };
  again();
  return () => clearTimer(timer);
}

// Calls `callback` in the next turn of the loop.
function setTurn(callback) {
  const { source } = shared;
  return source === undefined ? setImmediate(callback) : source.setTurn(callback);
}

function clearTurn(turn) {
  if (turn?.cancel === undefined) clearImmediate(turn);
  else turn.cancel();
}

// Loaded when they are first needed. Each look-up of the module would take ten times as long as a
// reading.
let performanceOfNode;
const readings = () => performanceOfNode ??= require('node:perf_hooks').performance;

// Nanoseconds for which the loop has waited for events, a whole number: differences of others lose
// bits. 0 in Deno, which does not measure them.
function idleTime() {
  if (shared.source !== undefined) return shared.source.idle();
  return Math.round((readings().nodeTiming.idleTime ?? 0) * NANOSECONDS_PER_MILLISECOND);
}

// The number of turns of the loop so far; undefined on hosts that do not count them.
function turnsOfLoop() {
  if (shared.source !== undefined) return shared.source.turns();
  return readings().nodeTiming.uvMetricsInfo?.loopCount;
}

// The time in ms for which the thread has been active; all time on hosts that do not measure it.
function activeTime() {
  const { source } = shared;
  if (source !== undefined) return now() - source.idle() / NANOSECONDS_PER_MILLISECOND;
  return isForeign ? now() : readings().eventLoopUtilization().active;
}

module.exports = {
  LONGEST_TIMER,
  NANOSECONDS_PER_MILLISECOND,
  activeTime,
  clearTimer,
  clearTurn,
  hrtime,
  idleTime,
  isSimulated,
  now,
  readNanoseconds,
  setImmediate,
  setRepeated,
  setSource,
  setTimer,
  setTurn,
  turnsOfLoop,
};
