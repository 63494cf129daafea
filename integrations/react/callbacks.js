'use strict';

// Tells the callbacks of the loop apart in which React renders, and mostly the renders: React
// renders each in callbacks of its own. Those that are started in the same callback count as one.

const { queueMicrotask } = require('../../lib/loop/intrinsics.js');

let count = 0;
let isRunning = false;

function end() {
  isRunning = false;
}

// A number for the callback that runs, with the microtasks that are queued already.
function currentCallback() {
  if (!isRunning) {
    isRunning = true;
    count++;
    queueMicrotask(end);
  }
  return count;
}

module.exports = { currentCallback };
