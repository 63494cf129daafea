'use strict';

// Work in pieces, and the ways to pause between them. The work is spun by the clock: it takes the
// same time on each machine, so what differs is when it runs.

const { pieces, scheduler, shouldYield } = require('../..');
const { controllerFor, createAdmission } = require('../../dist/http.js');

// How long a loop with setImmediate() goes on without a pause, in ms.
const IMMEDIATE_MS = 1;

const nextImmediate = () => new Promise((resolve) => setImmediate(resolve));

let spun = 1;

// Reading the clock makes garbage, and a scavenge of it reads as ready I/O. So most of this is
// arithmetic.
function spin(ms) {
  const end = performance.now() + ms;
  do {
    for (let i = 0; i < 500; i++) spun = (Math.imul(spun, 1103515245) + 12345) | 0;
  } while (performance.now() < end);
}

/** By name: runs `count` pieces of `ms` each. */
const IDIOMS = {
  plain({ count, ms }) {
    for (let i = 0; i < count; i++) spin(ms);
  },
  async immediate({ count, ms }) {
    let last = performance.now();
    for (let i = 0; i < count; i++) {
      spin(ms);
      if (performance.now() - last < IMMEDIATE_MS) continue;
      await nextImmediate();
      last = performance.now();
    }
  },
  async yield({ count, ms }) {
    for (let i = 0; i < count; i++) {
      spin(ms);
      await scheduler.yield();
    }
  },
  async shouldYield({ count, ms }) {
    for (let i = 0; i < count; i++) {
      spin(ms);
      if (shouldYield()) await scheduler.yield();
    }
  },
  async pieces({ count, ms }, signal = undefined) {
    for await (const piece of pieces(new Array(count).fill(ms), { signal })) spin(piece);
  },
};

/** By name: makes a listener of listen(request, response, render) whose requests are known. */
const REQUESTS = {
  controllerFor: (listen) => (request, response) => {
    const { signal } = controllerFor(response);
    const render = (kind) => scheduler.postTask(() => IDIOMS.pieces(kind, signal), { signal });
    return listen(request, response, render);
  },
  // Refuses nothing, as no other contender does.
  admission: (listen) => createAdmission({ refuseAfter: { 'user-visible': Infinity } })
    .handler((request, response) => listen(request, response)),
};

module.exports = { IDIOMS, REQUESTS, nextImmediate };
