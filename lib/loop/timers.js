'use strict';

// Timers of Node, also for times above Node's limit, which Node would treat as 1 ms.

const { setTimeout } = require('node:timers');

// In milliseconds.
const LONGEST_TIMER = 2 ** 31 - 1;

// Calls `callback` after the given milliseconds, at most after 24 days.
function setTimer(callback, milliseconds) {
  return setTimeout(callback, Math.min(milliseconds, LONGEST_TIMER));
}

module.exports = { LONGEST_TIMER, setTimer };
