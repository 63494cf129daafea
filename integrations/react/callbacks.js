'use strict';

// Numbers the callbacks of the loop in which React renders. This mostly also identifies renders, as
// React uses separate callbacks for each; only renders that are started in the same callback count
// as one.

const { platform } = require('../internal.js');

const { queueMicrotask } = platform;

let count = 0;
let isRunning = false;

function end() {
  isRunning = false;
}

// The number of the running callback, with the microtasks that are queued already.
function currentCallback() {
  if (!isRunning) {
    isRunning = true;
    count++;
    queueMicrotask(end);
  }
  return count;
}

module.exports = { currentCallback };
