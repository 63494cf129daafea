'use strict';

// Which pages are asked for, and when: at random, but the same for the same seed. Visitors come
// whether or not the server is able to answer (an open loop), except for those of a crowd. And the
// goals of each mix.

const arrivals = require('../harness/arrivals');

const SHORT = { name: 'short', share: 0.99, count: 150, ms: 0.02 };
const LONG = { name: 'long', share: 0.01, count: 50, ms: 3 };
const PAGES = '99 % of pages of 3 ms in pieces of 20 µs, 1 % of 150 ms in pieces of 3 ms';

// The contenders whose requests the scheduler knows.
const KNOWN = ['controllerFor', 'admission'];
const ADMITTED = [...KNOWN, 'computing'];

// The shares of a mix's kinds of pages add up to 1. A page has `count` pieces of `ms`, and the
// fairness `key` and `weight` of its tenant, or a key for each visitor (`ownKeys`).
//
//   ideal        whether the ideal thread serves its visitors, too
//   loads        only these shares of the thread's time, whatever the options say
//   contenders   only these
//   crowd        so many visitors of each kind, each of whom asks again at once
//   alone        also measured with the visitors of the first kind alone
//   patience     how long a visitor waits, in ms
//   mayRefuse    whether an admission refuses requests
//   priority     of all requests
//   lasting      responses that go on while the visitors come: `streams` of them, each with an
//                event `every` so many ms, or work without an end
//   goals        of some contenders' rows: `most` times the figures of a kind in another row
//                (`beside`: a contender, 'ideal' or 'alone'), or of another kind (`ofKind`); or
//                bounds of their own (`bounds`, in ms), a ratio of thread times (`weights`), or
//                that `all` pages are served
const MIXES = {
  mix: {
    title: PAGES, ideal: true, kinds: [SHORT, LONG],
    goals: [
      { rows: ADMITTED, kind: 'short', beside: 'ideal', most: { p50: 1.5, p90: 1.5, p99: 2 } },
      { rows: ADMITTED, kind: 'long', beside: 'ideal', most: { p99: 1.3 } },
      // The first stretch of a listener blocks the thread or not.
      ...['controllerFor', 'admission'].map((beside) =>
        ({ rows: ['computing'], kind: 'short', beside, most: { p90: 1.15 } })),
      { rows: ['admission'], kind: 'short', beside: 'computing', most: { p90: 1.15 } },
    ],
  },
  equal: {
    title: 'pages of 20 ms in pieces of 0.25 ms', ideal: true,
    kinds: [{ name: 'equal', share: 1, count: 80, ms: 0.25 }],
    // They are best finished one after the other, as plain Node does.
    goals: [{ rows: KNOWN, kind: 'equal', beside: 'plain', most: { mean: 1.1 } }],
  },
  weights: {
    title: 'pages of 5 ms of two tenants with the weights 3 and 1, who always wait for some',
    loads: [1], contenders: KNOWN, crowd: 8,
    kinds: [
      { name: 'heavy', share: 0.5, count: 20, ms: 0.25, key: 'heavy', weight: 3 },
      { name: 'light', share: 0.5, count: 20, ms: 0.25, key: 'light', weight: 1 },
    ],
    goals: [{ rows: KNOWN, weights: ['heavy', 'light'], ratio: 3, within: 0.05 }],
  },
  tenants: {
    title: 'pages of 10 ms of two tenants, of whom one sends ten times as much',
    loads: [1.5], contenders: ['immediate', ...KNOWN],
    alone: true, patience: 2000, mayRefuse: true,
    kinds: [
      { name: 'small', share: 1 / 11, count: 100, ms: 0.1, key: 'small' },
      { name: 'flood', share: 10 / 11, count: 100, ms: 0.1, key: 'flood' },
    ],
    goals: [
      { rows: KNOWN, kind: 'small', beside: 'alone', most: { p99: 1.5 } },
      { rows: KNOWN, kind: 'small', all: true },
    ],
  },
  stream: {
    title: `${PAGES}, beside streams of an event of 1 ms each 100 ms`,
    loads: [0.8], contenders: ['immediate', ...KNOWN],
    kinds: [SHORT, LONG],
    lasting: [{ name: 'event', streams: 4, every: 100, count: 1, ms: 1 }],
    goals: [{ rows: KNOWN, kind: 'event', ofKind: 'short', most: { p99: 2 } }],
  },
  streams: {
    title: 'pages of 3 ms in pieces of 20 µs, beside sixty streams of an event of 1 ms each 150 ms',
    loads: [0.25], contenders: ['plain', 'immediate', ...KNOWN],
    kinds: [{ ...SHORT, share: 1 }],
    lasting: [{ name: 'event', streams: 60, every: 150, count: 1, ms: 1 }],
    goals: [
      { rows: KNOWN, kind: 'short', beside: 'plain', most: { p50: 1.2, p99: 1.2 } },
      { rows: KNOWN, kind: 'event', beside: 'plain', most: { p99: 1.2 } },
    ],
  },
  visitors: {
    title: `${PAGES}, with a key for each visitor`,
    loads: [0.6], ideal: true, contenders: ['plain', 'immediate', ...KNOWN],
    kinds: [{ ...SHORT, ownKeys: true }, { ...LONG, ownKeys: true }],
    goals: [{ rows: KNOWN, kind: 'short', beside: 'plain', most: { p50: 1.5, p99: 1 } }],
  },
  background: {
    title: 'background tasks of 1 ms, with a key or without, beside one that never ends',
    loads: [0.1], contenders: KNOWN, priority: 'background',
    kinds: [
      { name: 'task', share: 0.5, count: 1, ms: 1 },
      { name: 'keyed', share: 0.5, count: 1, ms: 1, key: 'keyed' },
    ],
    lasting: [{ name: 'endless', streams: 1, count: Infinity, ms: 1 }],
    // With the work of the task.
    goals: ['task', 'keyed'].map((kind) => ({ rows: KNOWN, kind, bounds: { p99: 10 } })),
  },
};

const kindOf = ({ kinds, lasting = [] }, name) =>
  [...kinds, ...lasting].find((kind) => kind.name === name);

// The names of all that has figures: pages and events.
const measuredOf = ({ kinds, lasting = [] }) =>
  [...kinds, ...lasting.filter(({ every }) => every !== undefined)].map(({ name }) => name);

// The mean time of a page in ms.
const meanOf = ({ kinds }) =>
  kinds.reduce((sum, { share, count, ms }) => sum + share * count * ms, 0);

// Returns the visitors as { time, name }, in the order of their times in ms. `load` is the share of
// the thread's time that their pages take.
function createVisitors(mix, { load, seconds, seed }) {
  const perSecond = load * 1000 / meanOf(mix);
  return arrivals.createVisitors(mix.kinds, { perSecond, seconds, seed });
}

module.exports = { KNOWN, MIXES, createVisitors, kindOf, meanOf, measuredOf };
