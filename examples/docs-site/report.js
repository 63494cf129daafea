'use strict';

// Prints the tables, and the claims below them, kept or missed.

const { TITLE: TITLE_EQUALS } = require('./equals');
const { number, percent } = require('./format');
const { COLUMNS: COLUMNS_OVERLOAD, LOAD } = require('./overload');
const { table } = require('./table');

const pair = (title, key) => [
  { head: `${title}\np50 ms`, value: (row) => number(row[key].p50) },
  { head: 'p99 ms', value: (row) => number(row[key].p99) },
];
const orNone = (value) => (value === null ? '–' : value.toFixed(0));
const pagesPerSecond = { head: 'pages/s', value: (row) => row.pagesPerSecond.toFixed(0) };
const name = { head: '', value: (row) => row.name };

const COLUMNS = [
  name,
  ...pair('/health', 'health'),
  ...pair('first byte', 'firstByte'),
  ...pair('page', 'page'),
  pagesPerSecond,
  { head: 'indexed\ndocs', value: (row) => orNone(row.documentsIndexed) },
  { head: 'docs/s', value: (row) => orNone(row.documentsPerSecond) },
];

const COLUMNS_ALONE = [name, ...pair('first byte', 'firstByte'), ...pair('page', 'page')];

const COLUMNS_LEAVING = [
  name,
  { head: 'pages\nleft', value: (row) => String(row.pagesLeft) },
  { head: 'ms a page, until\nits visitor left', value: (row) => number(row.msUntilLeft) },
  { head: '\nafter that', value: (row) => number(row.msAfterLeft) },
  { head: 'share of\nall rendering', value: (row) => percent(row.share) },
  pagesPerSecond,
];

const columnsOfEquals = (kind) => ['p50', 'p90', 'p99'].map((figure, i) => ({
  head: `${i === 0 ? `${kind} page\n` : ''}${figure} ms`, value: (row) => number(row[kind][figure]),
}));
const COLUMNS_EQUALS = [name, ...columnsOfEquals('short'), ...columnsOfEquals('long')];

function printReport({ pages, bytes, rows, alone, leaving, equals, overload, claims }) {
  process.stdout.write(`${pages} documents, ${Math.round(bytes / 1024)} KB of Markdown\n\n`
    + 'Six visitors read, with pauses; pages/s: as many visitors as the server can take.\n'
    + `${table(COLUMNS, rows)}\n\n`
    + 'A single visitor, no index rebuild.\n'
    + `${table(COLUMNS_ALONE, alone)}\n\n`
    + 'As many visitors as the server can take; one in five leaves when its page begins to '
    + 'arrive.\n'
    + 'The rendering of the pages that were left, and how many others were served.\n'
    + `${table(COLUMNS_LEAVING, leaving)}\n\n`
    + 'Another server, whose visitors arrive at random:\n'
    + `${TITLE_EQUALS}.\n`
    + `${table(COLUMNS_EQUALS, equals)}\n\n`
    + `Another server, with ${LOAD} times as many visitors as it can serve, who leave after a `
    + 'second.\nShares of those who were served, times in ms, and pages as a share of the '
    + 'capacity.\n'
    + `${table(COLUMNS_OVERLOAD, overload)}\n\n`
    + `${claims.map(({ text, kept, detail }) =>
      `${kept ? 'kept  ' : 'MISSED'}  ${text}\n        ${detail}`).join('\n')}\n`);
}

module.exports = { printReport };
