'use strict';

// Shows the results: a table for each crowd of visitors on the screen, and all of them in
// Markdown.

const {
  faultLines, fixed, goalLines, markdownTable, nameColumn, percent, table,
} = require('../report');

const { PATIENCE } = require('./cells');
const { PAGE_MS } = require('./contenders');

const whole = fixed(0);

const COLUMNS = [
  nameColumn(),
  { head: 'checkout', value: ({ classes }) => percent(classes.checkout.share) },
  { head: 'p99', value: ({ classes }) => whole(classes.checkout.p99) },
  { head: 'pages', value: ({ classes }) => percent(classes.page.share) },
  { head: 'p50', value: ({ classes }) => whole(classes.page.p50) },
  { head: 'p99', value: ({ classes }) => whole(classes.page.p99) },
  { head: 'crawlers', value: ({ classes }) => percent(classes.crawler.share) },
  { head: 'refusals p99', value: ({ classes }) => whole(classes.all.refusalP99) },
  { head: 'goodput', value: ({ ofCapacity }) => ofCapacity.toFixed(2) },
];

// How long after a burst the last visitor came who was not served, and who had to try again.
const BURST_COLUMNS = [
  ...COLUMNS,
  { head: 'served after', value: ({ unserved }) => whole(unserved) },
  { head: 'at once after', value: ({ unservedAtOnce }) => whole(unservedAtOnce) },
];

const isBurst = ({ part }) => part === 'burst';
const columnsOf = (cell) => (isBurst(cell) ? BURST_COLUMNS : COLUMNS);

/** The rows of a cell, with the ideal as the last one. */
const rowsOf = ({ rows, ideal }) =>
  (ideal === null ? rows : [...rows, { name: 'the ideal queue', ...ideal }]);

const block = (cell) => `${cell.title}; capacity ${cell.capacity.toFixed(1)} pages/s\n`
  + `${table(columnsOf(cell), rowsOf(cell))}\n`;

function print({ node, options, cells, goals, faults }) {
  const late = Math.max(...cells.flatMap(({ rows }) => rows.map(({ lateP99 }) => lateP99)));
  process.stdout.write(`Node ${node}; ${options.runs} runs of ${options.seconds} s\n`
    + `A page holds the thread for ${PAGE_MS} ms. Visitors arrive at random and leave after `
    + `${PATIENCE} ms: one in five\nwants to check out, one in five is a crawler, the others want `
    + 'pages. Shares of the visitors who were\nserved; times in ms from when they arrived; '
    + 'refusals: those on arrival; goodput: pages for visitors who\nwere still there, as a share '
    + 'of the capacity.\n\n'
    + `${cells.map(block).join('\n')}\n${goalLines(goals)}\n`
    + `visitors were sent at most ${late.toFixed(1)} ms late, at p99 of any row\n`
    + `${faultLines(faults)}`);
}

/** A table of the loads, and one of the burst, which has more columns. */
function markdown({ cells }) {
  const groups = [cells.filter((cell) => !isBurst(cell)), cells.filter(isBurst)];
  return groups.filter((group) => group.length > 0).map((group) => markdownTable(
    columnsOf(group[0]), group.map((cell) => ({ title: cell.title, rows: rowsOf(cell) }))))
    .join('\n');
}

module.exports = { COLUMNS, markdown, print };
