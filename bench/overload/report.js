'use strict';

// Shows the results: a table for each crowd of visitors on the screen, and all of them in
// Markdown.

const {
  faultLines, fixed, goalLines, markdownTable, nameColumn, percent, table,
} = require('../report');

const { PATIENCE } = require('./cells');
const { PAGE_MS, PRESSURE, REFUSE_AFTER } = require('./contenders');

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

const LEGEND = `- *checkout*, *pages* and *crawlers*: the share of these visitors that was served.
- *refusals*: those that were made on arrival.
- *goodput*: the pages for visitors who were still there, as a share of the capacity, which is
  measured before and after each row.
- *served after*, *at once after*: the time from the end of the burst to the arrival of the last
  visitor that was not served, and of the last one that had to try again.
- *the ideal queue*: a simulation with the same visitors. Whenever the thread is free it takes the
  most important visitor. It refuses nobody, spends no time but on pages, and does not stop a page
  that has begun.
`;

const tunedBounds = Object.values(REFUSE_AFTER).join(', ');

/** What was measured, and how. */
const introduction = ({ node, options: { runs, seconds } }) => `# Overload

\`npm run bench overload -- --markdown bench/results/overload.md --svg bench/results\`

Node ${node}, ${new Date().toISOString().slice(0, 10)}; runs for each row: ${runs}, of ${seconds} s.

A page blocks the thread for ${PAGE_MS} ms. Visitors arrive at random, whether or not the server
has time, and leave after ${PATIENCE} ms: one in five wants to check out, one in five is a crawler,
the others want pages. Server and visitors have a processor each. All servers get the same visitors,
and render the same page in one go, except the server with pages in pieces, which ends a page when
its visitor leaves. Times are in ms, from when the visitor should have arrived.

${LEGEND}
These bounds were tuned for this load: \`refuseAfter\`, ${tunedBounds} ms from
\`'user-blocking'\` down, except in the row with default bounds; and \`maxEventLoopDelay\` of
\`@fastify/under-pressure\`, ${PRESSURE.maxEventLoopDelay} ms, with which it served most.
\`toobusy-js\` and \`maxQueued\` have their defaults.

`;

const PLOTS = `
![Pages in time, and who could check out, against the load](overload-goodput.svg)

![The p99 of those who were served, against the load](overload-latency.svg)
`;

/** A table of the loads, and one of the burst, which has more columns. */
function markdown(results) {
  const { cells } = results;
  const groups = [cells.filter((cell) => !isBurst(cell)), cells.filter(isBurst)];
  const tables = groups.filter((group) => group.length > 0).map((group) => markdownTable(
    columnsOf(group[0]), group.map((cell) => ({ title: cell.title, rows: rowsOf(cell) }))));
  return `${introduction(results)}${tables.join('\n')}${PLOTS}`;
}

module.exports = { COLUMNS, markdown, print };
