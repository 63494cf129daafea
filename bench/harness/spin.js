'use strict';

// Work that takes the same time on each machine, as it is spun by the clock: what differs is when
// it runs.

let spun = 1;

// Blocks the thread for so many ms. Reading the clock makes garbage, and a scavenge of it reads as
// ready I/O. So most of this is arithmetic.
function spin(ms) {
  const end = performance.now() + ms;
  do {
    for (let i = 0; i < 500; i++) spun = (Math.imul(spun, 1103515245) + 12345) | 0;
  } while (performance.now() < end);
}

module.exports = { spin };
