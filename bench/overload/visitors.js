'use strict';

// Visitors of three classes, who arrive at random times, the same ones for the same seed. They come
// whether or not the server is able to answer (an open loop).

const arrivals = require('../harness/arrivals');

// In the order of their importance. The shares add up to 1.
const CLASSES = [
  { name: 'checkout', priority: 'user-blocking', share: 0.2 },
  { name: 'page', priority: 'user-visible', share: 0.6 },
  { name: 'crawler', priority: 'background', share: 0.2 },
];

const classOf = (name) => CLASSES.find((each) => each.name === name);
const rankOf = (name) => CLASSES.findIndex((each) => each.name === name);

// Returns the visitors as { time, name }, in the order of their times in ms. They arrive in phases
// { perSecond, seconds }, one after the other: a burst is a phase with many of them.
function createVisitors(phases, seed) {
  let begin = 0;
  return phases.flatMap((phase, i) => {
    const visitors = arrivals.createVisitors(CLASSES, { ...phase, seed: `${seed} ${i}` })
      .map(({ time, name }) => ({ time: begin + time, name }));
    begin += phase.seconds * 1000;
    return visitors;
  });
}

module.exports = { CLASSES, classOf, createVisitors, rankOf };
