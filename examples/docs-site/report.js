'use strict';

// Turns raw times into percentiles, and prints the table and the claims below it, kept or missed.

const Table = require('cli-table3');
const { quantile } = require('simple-statistics');

const WITHIN = 1.1;

function percentiles(times) {
  const [p50, p99] = quantile(times, [0.5, 0.99]);
  return { p50, p99, count: times.length };
}

function claim(text, kept, detail) {
  return { text, kept, detail };
}

/** @param {object[]} raw the rows, in the order: unchunked, setImmediate, uv-scheduler, alone */
function summarize(raw, { pages, bytes, different }) {
  const rows = raw.map((row) => ({
    name: row.name,
    health: percentiles(row.health),
    firstByte: percentiles(row.first),
    page: percentiles(row.complete),
    pagesPerSecond: row.saturatedPages / row.saturatedMs * 1000,
    documentsIndexed: row.indexing ? row.indexed : null,
    documentsPerSecond: row.indexing ? row.indexed / row.readingMs * 1000 : null,
  }));
  const [unchunked, immediate, ours, alone] = rows;
  const best = Math.min(unchunked.health.p99, immediate.health.p99);
  const compared = (a, b, unit) =>
    `${number(a)} against ${number(b)} ${unit}, ${a >= b ? '+' : '−'}`
      + `${Math.abs((a / b - 1) * 100).toFixed(1)} %`;
  const claims = [
    claim('the same bytes from every strategy', different.length === 0,
      `${pages - different.length} of ${pages} pages`),
    // "Well below" means at most two thirds.
    claim('/health p99 well below both others', ours.health.p99 <= best * 2 / 3,
      `${ms(ours.health.p99)} against ${ms(unchunked.health.p99)} (${unchunked.name}) `
        + `and ${ms(immediate.health.p99)} (${immediate.name})`),
    claim('at least as many pages per second as with setImmediate',
      ours.pagesPerSecond >= immediate.pagesPerSecond,
      compared(ours.pagesPerSecond, immediate.pagesPerSecond, 'pages/s')),
    ...['p50', 'p99'].map((p) => claim(
      `page ${p} with the index rebuild at most 10 % above that without`,
      ours.page[p] <= alone.page[p] * WITHIN, compared(ours.page[p], alone.page[p], 'ms'))),
  ];
  return { pages, bytes, different, rows, claims };
}

const number = (value) => value.toFixed(value < 100 ? 2 : 0);
const ms = (value) => `${number(value)} ms`;

const pair = (title, key) => [
  { head: `${title}\np50 ms`, value: (row) => number(row[key].p50) },
  { head: 'p99 ms', value: (row) => number(row[key].p99) },
];
const orNone = (value) => (value === null ? '–' : value.toFixed(0));

const COLUMNS = [
  { head: '', value: (row) => row.name },
  ...pair('/health', 'health'),
  ...pair('first byte', 'firstByte'),
  ...pair('page', 'page'),
  { head: 'pages/s', value: (row) => row.pagesPerSecond.toFixed(0) },
  { head: 'indexed\ndocs', value: (row) => orNone(row.documentsIndexed) },
  { head: 'docs/s', value: (row) => orNone(row.documentsPerSecond) },
];

/** The first column is for names, the others are for numbers. */
function table(columns, rows) {
  const result = new Table({
    head: columns.map(({ head }) => head),
    colAligns: columns.map((_, i) => (i === 0 ? 'left' : 'right')),
    rowAligns: ['bottom'],
    style: { head: [], border: [], compact: true },
  });
  result.push(...rows.map((row) => columns.map(({ value }) => value(row))));
  return result.toString();
}

function printReport({ pages, bytes, rows, claims }) {
  process.stdout.write(`${pages} documents, ${Math.round(bytes / 1024)} KB of Markdown\n\n`
    + `${table(COLUMNS, rows)}\n\n`
    + 'pages/s: from a saturated server. The rest: while visitors read, with pauses.\n\n'
    + `${claims.map(({ text, kept, detail }) =>
      `${kept ? 'kept  ' : 'MISSED'}  ${text}\n        ${detail}`).join('\n')}\n`);
}

module.exports = { number, printReport, summarize, table };
