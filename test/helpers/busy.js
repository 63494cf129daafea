'use strict';

// Blocks the thread for so many milliseconds.
function busy(milliseconds) {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

// Computes for so many milliseconds, whatever else the machine does meanwhile: if it holds the
// thread up, at most a millisecond of that counts.
function compute(milliseconds) {
  let left = milliseconds;
  for (let last = performance.now(); left > 0;) {
    const now = performance.now();
    left -= Math.min(now - last, 1);
    last = now;
  }
}

module.exports = { busy, compute };
