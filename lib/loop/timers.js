'use strict';

// Timers and immediates of the host, also for times above Node's limit, which Node would treat as
// 1 ms.

const timers = require('node:timers');
const { original } = require('../loading/undocumented.js');

const { clearTimeout, setTimeout } = timers;

// Not the global: contexts of `vm` have none, and fake timers may have replaced it.
const setImmediate = original(timers.setImmediate, 'setImmediate');

// In milliseconds.
const LONGEST_TIMER = 2 ** 31 - 1;

// Makes the timers of a test scheduler, while there is one: see setTimers().
let makeTimer;

// Calls `callback` after the given milliseconds, at most after 24 days.
function setTimer(callback, milliseconds) {
  const time = Math.min(milliseconds, LONGEST_TIMER);
  return makeTimer === undefined ? setTimeout(callback, time) : makeTimer(callback, time);
}

function clearTimer(timer) {
  if (timer?.cancel === undefined) clearTimeout(timer);
  else timer.cancel();
}

// Makes setTimer() call `make(callback, time)`, which returns an object with the methods `cancel`,
// `ref` and `unref`; undefined restores the timers of the host.
function setTimers(make) {
  makeTimer = make;
}

module.exports = { LONGEST_TIMER, clearTimer, setImmediate, setTimer, setTimers };
