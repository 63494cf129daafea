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

const nextImmediate = () => new Promise((resolve) => setImmediate(resolve));

// Does `count` pieces of `ms`, with a pause when `interval` ms have passed since the last one.
async function spinWithPauses({ count, ms }, interval, work = spin) {
  for (let i = 0, last = performance.now(); i < count; i++) {
    work(ms);
    if (performance.now() - last < interval) continue;
    await nextImmediate();
    last = performance.now();
  }
}

module.exports = { nextImmediate, spin, spinWithPauses };
