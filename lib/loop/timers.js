'use strict';

// Timers of Node, also for times that are too long for Node: it would take those for 1 ms.

const { setTimeout } = require('node:timers');

// In milliseconds.
const LONGEST_TIMER = 2 ** 31 - 1;

// Calls `callback` after so many milliseconds, or after 24 days if they are more.
function setTimer(callback, milliseconds) {
  return setTimeout(callback, Math.min(milliseconds, LONGEST_TIMER));
}

module.exports = { LONGEST_TIMER, setTimer };
