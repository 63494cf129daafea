'use strict';

// Owns the arithmetic and the table: from raw times to percentiles, and the comparisons beneath it,
// kept or missed. Measures nothing.

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
    // "Well below" is taken as two thirds at most.
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
  { group: `${title} (ms)`, head: 'p50', value: (row) => number(row[key].p50) },
  { head: 'p99', value: (row) => number(row[key].p99) },
];
const orNone = (value) => (value === null ? '–' : value.toFixed(0));

const COLUMNS = [
  { head: '', value: (row) => row.name },
  ...pair('/health', 'health'),
  ...pair('first byte', 'firstByte'),
  ...pair('page', 'page'),
  { head: 'pages/s', value: (row) => row.pagesPerSecond.toFixed(0) },
  { group: 'indexed', head: 'docs', value: (row) => orNone(row.documentsIndexed) },
  { head: 'docs/s', value: (row) => orNone(row.documentsPerSecond) },
];

/** A group's title stands above its column and the next one; the first column is for names. */
function table(columns, rows) {
  const lines = [
    columns.map(({ head }) => head),
    ...rows.map((row) => columns.map(({ value }) => value(row))),
  ];
  // A group's title stands over two columns and needs its room.
  const widths = columns.map((_, i) => Math.max(8, ...lines.map((line) => line[i].length)));
  const pad = (cells) => cells.map((cell, i) =>
    (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join(' ');
  let groups = '';
  columns.forEach(({ group }, i) => {
    if (group !== undefined) {
      const end = widths.slice(0, i + 2).reduce((sum, width) => sum + width + 1, -1);
      groups += group.padStart(end - groups.length);
    }
  });
  const [heads, ...body] = lines.map(pad);
  return [groups, heads, '─'.repeat(heads.length), ...body].join('\n');
}

function printReport({ pages, bytes, rows, claims }) {
  process.stdout.write(`${pages} documents, ${Math.round(bytes / 1024)} KB of Markdown\n\n`
    + `${table(COLUMNS, rows)}\n\n`
    + 'pages/s: from a saturated server. The rest: while visitors read, with pauses.\n\n'
    + `${claims.map(({ text, kept, detail }) =>
      `${kept ? 'kept  ' : 'MISSED'}  ${text}\n        ${detail}`).join('\n')}\n`);
}

module.exports = { number, printReport, summarize, table };
