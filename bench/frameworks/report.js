'use strict';

// Writes the results in Markdown: the price of each framework, and all rows.

const { median } = require('simple-statistics');

// The goal, at the first load, against the plain program.
const HEALTH_SHARE = 1 / 3;
const PAGE_SHARE = 1.3;

const KEYS = ['healthP99', 'pageP50', 'pageP99', 'pagesPerSecond', 'cpu'];
const HEADS = [
  '', 'load', '', '`/health` p99', 'page p50', 'page p99', 'pages/s', 'CPU a page', 'goal',
];

const PRICE_KEYS = ['cpu', 'pageP50', 'healthP99'];
const PRICE_HEADS = ['', 'CPU a page', 'page p50', '`/health` p99'];

const INTRODUCTION = `Visitors arrive at each program at random times, whether or not earlier ones
have their pages (an open loop), at 0.5 and 0.8 of the pages that the plain program can make. One
health check follows another, at least 5 ms later. Times are in ms, from when the visitor should
have arrived.

- *plain*: the program without this package. Of the applications that have to be built, the same
  page, in which \`pieces()\` only gives the items and \`<Scheduled>\` only its children.
- *immediates*: the program that waits for a \`setImmediate()\` after each slice of 5 ms.
- *CPU*: the processor time that the server takes for a page, on all threads, with one visitor at a
  time and without health checks.
- *goal*, at 0.5: a \`/health\` p99 of at most a third of the plain program's, and a page p50 of at
  most 1.3 times the plain program's. The numbers are both ratios.
`;

const line = (cells) => `| ${cells.join(' | ')} |\n`;
const table = (heads, rows) => [heads, heads.map(() => '---'), ...rows].map(line).join('');

const digits = (value) => (value < 10 ? value.toFixed(1) : value.toFixed(0));

const of = (row, key) => median(row.runs.map((run) => run[key]));

function cell(row, key) {
  const values = row.runs.map((run) => run[key]);
  if (values.length === 1) return digits(values[0]);
  const range = `${digits(Math.min(...values))}–${digits(Math.max(...values))}`;
  return `${digits(median(values))} (${range})`;
}

const findRow = (rows, { program, load }, variant) =>
  rows.find((row) => row.program === program && row.load === load && row.variant === variant);

/** Says whether a row reaches the goal, or by how much it misses; nothing where there is none. */
function verdict(row, rows, loads) {
  if (row.variant !== 'uv-scheduler' || row.load !== loads[0]) return '';
  const plain = findRow(rows, row, 'plain');
  const health = of(row, 'healthP99') / of(plain, 'healthP99');
  const page = of(row, 'pageP50') / of(plain, 'pageP50');
  const isMet = health <= HEALTH_SHARE && page <= PAGE_SHARE;
  return `${isMet ? 'met' : 'missed'}: ${health.toFixed(2)}, ${page.toFixed(2)}`;
}

const allRows = ({ loads, rows }) => table(HEADS, rows.map((row) =>
  [row.title, row.load, row.variant, ...KEYS.map((key) => cell(row, key)),
    verdict(row, rows, loads)]));

/** At the first load, from the plain program to that with uv-scheduler, the highest price first. */
function prices({ loads, rows }) {
  const pairs = rows.filter((row) => row.load === loads[0] && row.variant === 'uv-scheduler')
    .map((cut) => ({ cut, plain: findRow(rows, cut, 'plain') }));
  const ratio = ({ cut, plain }) => of(cut, 'cpu') / of(plain, 'cpu');
  return table(PRICE_HEADS, pairs.sort((a, b) => ratio(b) - ratio(a)).map(({ cut, plain }) =>
    [cut.title,
      ...PRICE_KEYS.map((key) => `${digits(of(plain, key))} → ${digits(of(cut, key))}`)]));
}

function toMarkdown(results) {
  const { node, options: { runs, seconds } } = results;
  return `# Frameworks

\`npm run bench frameworks -- --markdown bench/results/frameworks.md\`

Node ${node}, ${new Date().toISOString().slice(0, 10)}; runs for each row: ${runs}, of
${seconds} s; of several, the median and the range.

${INTRODUCTION}
## Prices

At ${results.loads[0]}, from plain to uv-scheduler, in ms:

${prices(results)}
## All rows

${allRows(results)}`;
}

module.exports = { allRows, toMarkdown };
