'use strict';

// Which pages are asked for, and when: at random, but the same for the same seed. Visitors come
// whether or not the server is able to answer (an open loop).

const { createArrivals, random } = require('../arrivals');

// The shares of a mix's kinds of pages add up to 1. A page has `count` pieces of `ms`. The first
// kind is the one that is judged.
const MIXES = {
  mix: {
    title: '99 % of pages of 3 ms in pieces of 20 µs, 1 % of 150 ms in pieces of 3 ms',
    kinds: [
      { name: 'short', share: 0.99, count: 150, ms: 0.02 },
      { name: 'long', share: 0.01, count: 50, ms: 3 },
    ],
  },
  equal: {
    title: 'pages of 20 ms in pieces of 0.25 ms',
    kinds: [{ name: 'equal', share: 1, count: 80, ms: 0.25 }],
  },
};

const kindOf = ({ kinds }, name) => kinds.find((kind) => kind.name === name);

/** The mean time of a page in ms. */
const meanOf = ({ kinds }) =>
  kinds.reduce((sum, { share, count, ms }) => sum + share * count * ms, 0);

/** Returns the kind for a number from 0 up to 1. */
function pickKind(kinds, number) {
  let sum = 0;
  return kinds.find(({ share }) => (sum += share) > number) ?? kinds.at(-1);
}

/**
 * Returns the visitors as { time, name }, in the order of their times in ms. `load` is the share of
 * the thread's time that their pages take.
 */
function createVisitors(mix, { load, seconds, seed }) {
  const perSecond = load * 1000 / meanOf(mix);
  const times = createArrivals({ perSecond, seconds, seed });
  return times.map((time, i) =>
    ({ time, name: pickKind(mix.kinds, random(`${seed} kind`, i)).name }));
}

module.exports = { MIXES, createVisitors, kindOf };
