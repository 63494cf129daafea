'use strict';

// Owns the list of what is measured, and in which order in each round. Knows nothing of how.

const strategies = require('./strategies');

// What background work there is. `wide` is as much as the options say; narrow work, one document
// for each page at once, shows how far the results depend on that.
const KINDS = {
  none: { label: 'none', background: 'none' },
  index: { label: 'index', background: 'index', wide: true },
  narrow: { label: 'index, narrow', background: 'index' },
  // Tells how far apart two equal measurements are.
  'none again': { label: 'none, again', background: 'none' },
  // Of the same length, without its garbage.
  'garbage-free': { label: 'no garbage', background: 'garbage-free', wide: true },
};

// All strategies are measured with the first two; the others are for what the goals compare.
const ALL = ['none', 'index'];
const MORE = {
  immediate: ['narrow'],
  prioritized: ['narrow', 'none again', 'garbage-free'],
};

/**
 * All configurations, grouped by the number of pages at once. A page's sections are all posted at
 * once; unless the options say otherwise, as many documents are indexed at once, so that neither
 * kind of work has its way because there are more pieces of it.
 */
function createPlan(options, sectionsPerPage) {
  const wide = options.background ?? sectionsPerPage;
  return options.pages.map((pages) => options.strategies.flatMap((strategy) =>
    [...ALL, ...(MORE[strategy] ?? [])].map((kind) => ({
      pages, strategy, kind,
      label: KINDS[kind].label,
      background: KINDS[kind].background,
      name: strategies[strategy].name,
      width: KINDS[kind].wide ? Math.max(1, Math.round(pages * wide)) : pages,
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

module.exports = { createPlan, orderOf };
