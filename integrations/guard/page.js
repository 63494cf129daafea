'use strict';

// The report of a guard as a page.

const { escaped, pageOf, tableOf } = require('../page.js');
const { inMs, inPercent } = require('./units.js');

function toShare({ share }) {
  const width = Math.min(100 * share, 100).toFixed(1);
  return `${inPercent(share)}<span class="bar" style="width:${width}%"></span>`;
}

// See tableOf().
const columnsOf = (isObserving) => [
  ['route', ({ route }) => escaped(route)],
  ['of the thread', toShare],
  ['requests', ({ requests }) => requests, true],
  ['mean', ({ mean }) => inMs(mean)],
  ['longest', ({ longest }) => inMs(longest), true],
  ['wait p50', ({ wait }) => inMs(wait.p50), true],
  ['wait p99', ({ wait }) => inMs(wait.p99)],
  isObserving
    ? ['would be refused', ({ wouldRefuse }) => wouldRefuse]
    : ['refused', ({ refused }) => refused],
  ['left', ({ left }) => left, true],
];

// `report` is what the file of UV_SCHEDULER_GUARD_FILE has.
function toPage(report) {
  const { advice, mode, routes } = report;
  return pageOf(`Routes <span class="mode">${mode}</span>`,
    `<p class="advice">${escaped(advice || 'No request has come yet.')}</p>
${tableOf(columnsOf(mode === 'observe'), routes)}`, report);
}

module.exports = { toPage };
