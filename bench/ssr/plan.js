'use strict';

// Owns the list of what is measured, and in which order in each round. Knows nothing of how.

const strategies = require('./strategies');

// What this project's own rows have besides: a second measurement without background work, which
// tells how far apart two equal ones are, and work of the same length that makes no garbage.
const OWN = 'prioritized';

const KINDS = {
  none: { label: 'none', background: 'none' },
  index: { label: 'index', background: 'index' },
  'none again': { label: 'none, again', background: 'none' },
  'garbage-free': { label: 'no garbage', background: 'garbage-free' },
};

/** All configurations, grouped by the number of pages at once. */
function createPlan(options) {
  return options.pages.map((pages) => options.strategies.flatMap((strategy) =>
    Object.entries(KINDS)
      .filter(([kind]) => strategy === OWN || kind === 'none' || kind === 'index')
      .map(([kind, { label, background }]) => ({
        pages, strategy, kind, label, background,
        name: strategies[strategy].name,
        width: Math.max(1, Math.round(pages * options.background)),
        raw: [],
      }))));
}

const rotate = (list, by) => [...list.slice(by % list.length), ...list.slice(0, by % list.length)];

/**
 * The order of a round. What is compared stays close together; within that each round begins
 * elsewhere, and every second one goes backwards, so that nothing always comes after the same.
 */
function orderOf(plan, round) {
  const groups = rotate(plan, round).map((group) => {
    const order = rotate(group, round * 3);
    return round % 2 === 0 ? order : order.reverse();
  });
  return groups.flat();
}

module.exports = { OWN, createPlan, orderOf };
