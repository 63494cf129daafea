'use strict';

// Visitors of three classes, who arrive at random times, the same ones for the same seed. They come
// whether or not the server is able to answer (an open loop).

const { createArrivals, picker } = require('../harness/arrivals');

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
  const pick = picker(CLASSES, seed);
  const visitors = [];
  let begin = 0;
  for (const [i, { perSecond, seconds }] of phases.entries()) {
    for (const time of createArrivals({ perSecond, seconds, seed: `${seed} ${i}` })) {
      visitors.push({ time: begin + time, name: pick(visitors.length).name });
    }
    begin += seconds * 1000;
  }
  return visitors;
}

module.exports = { CLASSES, classOf, createVisitors, rankOf };
