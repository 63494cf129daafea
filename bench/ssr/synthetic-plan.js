'use strict';

// What the synthetic measurements consist of: the work of a page, and the ways to render it.

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

module.exports = { LOOPS, PAGES, PIECES, PIECE_MS, UTILIZATION };
