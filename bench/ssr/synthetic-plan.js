'use strict';

// What the synthetic measurements consist of: the work of a page, the ways to render it, and when
// its visitors arrive.

const { createHash } = require('node:crypto');

const PIECES = 20;
const PIECE_MS = 1;

// The share of the pages that the thread can render at most.
const UTILIZATION = 0.8;

const PAGES = [
  { kind: 'unchunked', name: 'no chunking' },
  { kind: 'immediate', name: 'setImmediate' },
  { kind: 'yield', name: 'uv-scheduler, yield()' },
  { kind: 'shouldYield', name: 'uv-scheduler, shouldYield()' },
];

const LOOPS = [
  { kind: 'never', name: 'never' },
  { kind: 'yield', name: 'yields in every turn' },
  { kind: 'shouldYield', name: 'asks in every turn' },
];

/** Returns a number from 0 up to 1 that looks random, the same for the same seed and index. */
function random(seed, index) {
  const digest = createHash('sha256').update(`${seed} ${index}`).digest();
  return digest.readUIntBE(0, 6) / 2 ** 48;
}

/** Returns the times in ms at which visitors arrive, as a Poisson process. */
function createArrivals({ perSecond, seconds, seed }) {
  const times = [];
  for (let time = 0; ;) {
    time += -Math.log(1 - random(seed, times.length)) / perSecond * 1000;
    if (time >= seconds * 1000) return times;
    times.push(time);
  }
}

module.exports = { LOOPS, PAGES, PIECES, PIECE_MS, UTILIZATION, createArrivals };
