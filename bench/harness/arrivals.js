'use strict';

// Visitors of an open loop: when they arrive, and what for. Both are random, but the same for the
// same seed. Lets them arrive.

const { createHash } = require('node:crypto');
const { setTimeout: sleep } = require('node:timers/promises');

// Returns a number from 0 up to 1 that looks random, the same for the same seed and index.
function random(seed, index) {
  const digest = createHash('sha256').update(`${seed} ${index}`).digest();
  return digest.readUIntBE(0, 6) / 2 ** 48;
}

// Returns the times in ms at which visitors arrive, as a Poisson process.
function createArrivals({ perSecond, seconds, seed }) {
  const times = [];
  for (let time = 0; ;) {
    time += -Math.log(1 - random(seed, times.length)) / perSecond * 1000;
    if (time >= seconds * 1000) return times;
    times.push(time);
  }
}

// Returns the visitors as { time, name }, in the order of their times. Each has the name of one of
// the kinds, by their shares.
const createVisitors = (kinds, settings) => createArrivals(settings).map((time, index) => {
  let rest = random(`${settings.seed} kind`, index);
  const { name } = kinds.find(({ share }) => (rest -= share) < 0) ?? kinds.at(-1);
  return { time, name };
});

// Calls `visit(visitor, start, index)` for each visitor when it arrives. `start` is when it should
// arrive, on the clock of performance.now(). Resolves to the results of all, to how late each one
// was, and to the time until the last result, in ms.
async function letArrive(visitors, visit) {
  const lateness = [];
  const visits = [];
  const begin = performance.now();
  for (const [index, visitor] of visitors.entries()) {
    const start = begin + visitor.time;
    // A timer is up to a millisecond late. To spin for the rest would slow down the server where
    // processors share what they consist of.
    const rest = start - performance.now();
    if (rest > 0) await sleep(Math.ceil(rest));
    lateness.push(performance.now() - start);
    visits.push(visit(visitor, start, index));
  }
  const results = await Promise.all(visits);
  return { results, lateness, elapsed: performance.now() - begin };
}

module.exports = { createArrivals, createVisitors, letArrive, random };
