'use strict';

// Defines the goals and checks whether the results meet them (null if the results can't tell).

const { compare } = require('../statistics');

const PAGE_P99_AT_MOST = 1.05;
const PAGES_PER_SECOND_AT_LEAST = 1.9;
const ASKING_PAGE_P99_AT_MOST = 1.05;
const ASKING_HEALTH_P99_AT_MOST = 1.1;
const ASKING_TURNS_AT_LEAST = 0.9;

const times = ({ median, min, max }) =>
  `${median.toFixed(2)}× (rounds: ${min.toFixed(2)} to ${max.toFixed(2)})`;
const ms = (value) => `${value.toFixed(value < 100 ? 1 : 0)} ms`;

/** Rows that did not finish the list of pages served different pages, and cannot be compared. */
const judged = (rows, met) => (rows.some((row) => row.cut > 0) ? null : met);

/** The median ms of two rows. */
const pairOf = (a, b, key) => `${ms(a.medians[key])} against ${ms(b.medians[key])}`;

function undisturbed(pages, find) {
  const [none, again, index] = ['none', 'none again', 'index']
    .map((kind) => find('prioritized', kind));
  const ratio = compare(index, none, 'pageP99');
  const noise = compare(again, none, 'pageP99');
  const garbage = (row) => `${row.medians.garbagePerPage.toFixed(2)} ms`;
  return {
    pages,
    scope: `${pages} at once`,
    text: `page p99 with background work at most ${PAGE_P99_AT_MOST}× that without`,
    met: judged([none, index], ratio.median <= PAGE_P99_AT_MOST),
    ratios: { withIndex: ratio, noise },
    details: [
      `${times(ratio)}: ${pairOf(index, none, 'pageP99')}`,
      `without background work measured twice: ${times(noise)}`,
      `garbage collection for each page: ${garbage(index)} with, ${garbage(none)} without`,
    ],
  };
}

function faster(pages, find, kind) {
  const [ours, theirs] = ['prioritized', 'immediate'].map((strategy) => find(strategy, kind));
  const ratio = compare(ours, theirs, 'pagesPerSecond');
  const health = compare(ours, theirs, 'healthP99');
  const [rate, otherRate] = [ours, theirs].map(({ medians }) => medians.pagesPerSecond.toFixed(0));
  const share = (row) => `${(row.medians.backgroundShare * 100).toFixed(0)} %`;
  return {
    pages,
    scope: `${pages} at once`,
    width: ours.width,
    text: `at least ${PAGES_PER_SECOND_AT_LEAST}× the pages/s of setImmediate under the same `
      + 'background work, /health p99 no higher',
    met: judged([ours, theirs], ratio.median >= PAGES_PER_SECOND_AT_LEAST && health.median <= 1),
    ratios: { pagesPerSecond: ratio, healthP99: health },
    details: [
      `documents indexed at once: ${ours.width}`,
      `pages per second ${times(ratio)}: ${rate} against ${otherRate}`,
      `/health p99 ${times(health)}: ${pairOf(ours, theirs, 'healthP99')}`,
      `background work had ${share(ours)} of the thread, with setImmediate ${share(theirs)}`,
    ],
  };
}

/** Returns the goals for each number of pages at once whose required rows were measured. */
function judge(rows) {
  const goals = [];
  const strategies = new Set(rows.map((row) => row.strategy));
  for (const pages of new Set(rows.map((row) => row.pages))) {
    const find = (strategy, kind) => rows.find((row) =>
      row.pages === pages && row.strategy === strategy && row.kind === kind);
    if (strategies.has('prioritized')) goals.push(undisturbed(pages, find));
    if (strategies.has('prioritized') && strategies.has('immediate')) {
      goals.push(faster(pages, find, 'index'), faster(pages, find, 'narrow'));
    }
  }
  return goals;
}

/** Pages at random times: shouldYield() before each yield() makes none wait longer. */
function asking({ rows }) {
  const [plain, asked] = ['yield', 'shouldYield']
    .map((kind) => rows.find((row) => row.kind === kind));
  const ratio = compare(asked, plain, 'pageP99');
  const pair = (key) => pairOf(asked, plain, key);
  return {
    scope: 'pages at random times',
    text: `page p99 with shouldYield() at most ${ASKING_PAGE_P99_AT_MOST}× that of plain yield()`,
    met: ratio.median <= ASKING_PAGE_P99_AT_MOST,
    ratios: { pageP99: ratio },
    details: [
      `${times(ratio)}: ${pair('pageP99')}`,
      `page mean ${times(compare(asked, plain, 'pageMean'))}: ${pair('pageMean')}`,
      `/health p99 ${times(compare(asked, plain, 'healthP99'))}: ${pair('healthP99')}`,
    ],
  };
}

/** A loop that asks is as polite as one that yields, and as fast as one that never does. */
function askingLoop({ rows }) {
  const [never, plain, asked] = ['never', 'yield', 'shouldYield']
    .map((kind) => rows.find((row) => row.kind === kind));
  const health = compare(asked, plain, 'healthP99');
  const turns = compare(asked, never, 'turnsPerSecond');
  return {
    scope: 'a loop',
    text: `asking in every turn keeps /health p99 at most ${ASKING_HEALTH_P99_AT_MOST}× that of `
      + `yielding, at ${ASKING_TURNS_AT_LEAST}× or more of the turns of never yielding`,
    met: health.median <= ASKING_HEALTH_P99_AT_MOST && turns.median >= ASKING_TURNS_AT_LEAST,
    ratios: { healthP99: health, turnsPerSecond: turns },
    details: [
      `/health p99 ${times(health)}: ${pairOf(asked, plain, 'healthP99')}`,
      `turns ${times(turns)}; yielding ${times(compare(plain, never, 'turnsPerSecond'))}`,
    ],
  };
}

const judgeSynthetic = ({ pages, loops }) => [asking(pages), askingLoop(loops)];

module.exports = { judge, judgeSynthetic };
