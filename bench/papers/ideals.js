'use strict';

// Threads that know all service times and switch without cost, simulated on the visitors of a
// measurement. Each serves visitors { time, name } in the order of their times, and returns for
// each one how long it was in the system, in ms. A type is { ms }.
//
// The paper's DARC reserves cores for short types. Of one core it can reserve nothing: while that
// idled for short types, no long one would be served at all. The rest of DARC is its order: a core
// that is free takes the oldest request of the shortest type, and is not interrupted.

const { serveIdeally } = require('../equals/ideal');
const { unitsOf } = require('./workloads');

// First come, first served.
function inOrder(visitors, typeOf) {
  let now = 0;
  return visitors.map(({ time, name }) => {
    now = Math.max(now, time) + typeOf(name).ms;
    return now - time;
  });
}

// Processor sharing: all that are there progress at once, at the same speed.
function sharing(visitors, typeOf) {
  const times = new Array(visitors.length);
  // { index, end } by falling ends: a request is complete when each of those that have been there
  // all the time has got so much.
  const present = [];
  let [arrived, now, given] = [0, 0, 0];
  for (;;) {
    const next = visitors[arrived]?.time ?? Infinity;
    const first = present.at(-1);
    const complete = first ? now + (first.end - given) * present.length : Infinity;
    if (complete === Infinity && next === Infinity) return times;
    if (complete <= next) {
      times[first.index] = complete - visitors[first.index].time;
      [now, given] = [complete, first.end];
      present.pop();
    } else {
      if (first) given += (next - now) / present.length;
      now = next;
      const end = given + typeOf(visitors[arrived].name).ms;
      const place = present.findIndex((each) => each.end <= end);
      present.splice(place < 0 ? present.length : place, 0, { index: arrived++, end });
    }
  }
}

// Shortest remaining processing time, changed between two units only. Each request takes `cost` ms
// more.
const shortestRest = (visitors, typeOf, cost = 0) =>
  serveIdeally(visitors, (name) => unitsOf(typeOf(name)), cost);

// The shortest type first, without interruption.
const shortestType = (visitors, typeOf) =>
  serveIdeally(visitors, (name) => ({ count: 1, ms: typeOf(name).ms }));

module.exports = { inOrder, sharing, shortestRest, shortestType };
