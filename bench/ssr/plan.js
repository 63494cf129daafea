'use strict';

// Lists the configurations to measure, and their order in each round.

const strategies = require('./strategies');

// The kinds of background work. `wide` work has the width that the options set; narrow work, one
// document for each page at once, shows how far the results depend on the width.
const KINDS = {
  none: { label: 'none', background: 'none' },
  index: { label: 'index', background: 'index', wide: true },
  narrow: { label: 'index, narrow', background: 'index' },
  // Shows how much two equal measurements differ.
  'none again': { label: 'none, again', background: 'none' },
};

// All strategies are measured with these two; the goals need the others for some strategies.
const ALL = ['none', 'index'];
const MORE = {
  immediate: ['narrow'],
  prioritized: ['narrow', 'none again'],
};

/**
 * Returns all configurations, grouped by the number of pages at once. A page posts all its sections
 * at once. By default as many documents are indexed at once, so that neither kind of work gets an
 * advantage by having more pieces.
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
 * Returns the order of a round. Configurations that are compared stay close together. Each round
 * begins at another one of them, and every second round goes backwards, so that none always
 * follows the same one.
 */
function orderOf(plan, round) {
  const groups = rotate(plan, round).map((group) => {
    const order = rotate(group, round * 3);
    return round % 2 === 0 ? order : order.reverse();
  });
  return groups.flat();
}

module.exports = { createPlan, orderOf };
