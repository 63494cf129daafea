'use strict';

// Blocks the thread for so many milliseconds.
function busy(milliseconds) {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

module.exports = { busy };
