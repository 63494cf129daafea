'use strict';

// Timers and immediates of the host, also for times above Node's limit, which Node would treat as
// 1 ms.

const timers = require('node:timers');
const { original } = require('./platform.js');

const { setTimeout } = timers;

// Not the global: contexts of `vm` have none, and fake timers may have replaced it.
const setImmediate = original(timers.setImmediate, 'setImmediate');

// In milliseconds.
const LONGEST_TIMER = 2 ** 31 - 1;

// Calls `callback` after the given milliseconds, at most after 24 days.
function setTimer(callback, milliseconds) {
  return setTimeout(callback, Math.min(milliseconds, LONGEST_TIMER));
}

module.exports = { LONGEST_TIMER, setImmediate, setTimer };
