'use strict';

// Prints the results: a table for each number of pages at once, those of synthetic work, and the
// goals.

const { number } = require('../../examples/docs-site/format');
const { goalLines, table } = require('../report');

const { PIECES, PIECE_MS, UTILIZATION } = require('./synthetic-plan');

const percent = (value) => `${(value * 100).toFixed(0)} %`;
const column = (head, key, format = number) =>
  ({ head, value: ({ medians }) => format(medians[key]) });
const pair = (title, key) => [
  column(`${title}\np50 ms`, `${key}P50`),
  column('p99 ms', `${key}P99`),
];
const onlyIf = (shown, { value, ...rest }) =>
  ({ ...rest, value: (row) => (shown(row) ? value(row) : '–') });

const nameOf = ({ name, label, cut }) => `${name}, ${label}${cut > 0 ? '*' : ''}`;

const COLUMNS = [
  { head: 'strategy,\nbackground work', value: nameOf },
  ...pair('/health', 'health'),
  ...pair('first byte', 'first'),
  ...pair('page', 'page'),
  column('pages/s', 'pagesPerSecond'),
  onlyIf((row) => row.background === 'index', column('background\ndocs/s', 'indexedPerSecond')),
  onlyIf((row) => row.background !== 'none', column('thread', 'backgroundShare', percent)),
  column('garbage\nms/s', 'garbagePerSecond'),
  column('longest ms', 'garbageLongest'),
];

function blocks(rows) {
  return [...new Set(rows.map((row) => row.pages))].map((pages) => {
    const group = rows.filter((row) => row.pages === pages);
    const [wide, narrow] = ['index', 'narrow'].map((kind) =>
      group.find((row) => row.kind === kind)?.width);
    const busy = Math.min(...group.map(({ medians }) => medians.utilization));
    return `${pages} ${pages === 1 ? 'page' : 'pages'} at once; documents indexed at once: `
      + `${wide}${narrow === undefined ? '' : `, narrow: ${narrow}`}; event loop busy for at least `
      + `${percent(busy)} of the time\n\n${table(COLUMNS, group)}\n`;
  });
}

const SYNTHETIC_PAGES = [
  { head: 'pages at random times', value: ({ name }) => name },
  column('page mean ms', 'pageMean'),
  column('p99 ms', 'pageP99'),
  column('/health p99 ms', 'healthP99'),
];
const SYNTHETIC_LOOPS = [
  { head: 'a loop that', value: ({ name }) => name },
  column('turns/s', 'turnsPerSecond', (value) => value.toFixed(0)),
  column('/health p99 ms', 'healthP99'),
];

function syntheticBlocks({ pages, loops }) {
  return `Pages of ${PIECES} pieces of ${PIECE_MS} ms; their visitors arrive at random, `
    + `${pages.perSecond.toFixed(1)} a second, ${percent(UTILIZATION)} of what the thread can `
    + `take\n\n${table(SYNTHETIC_PAGES, pages.rows)}\n\n`
    + 'A loop of short turns, in a task; a health check goes out every 10 ms. turns/s: in a '
    + 'second of\nprocessor time\n\n'
    + `${table(SYNTHETIC_LOOPS, loops.rows)}\n`;
}

function print({ node, documents, bytes, options, rows, synthetic, goals }) {
  process.stdout.write(`Node ${node}; ${documents} documents, ${Math.round(bytes / 1024)} KB of `
    + `Markdown; medians of ${options.rounds} rounds of at least ${options.seconds} s\n\n`
    + `${blocks(rows).join('\n')}\n`
    + 'The load comes from another process: so many connections ask for a page as soon as they\n'
    + 'have the last one; a health check goes out every 5 ms. Background work never ends.\n'
    + (rows.some((row) => row.cut > 0) ? '* at least one round was given up on before every page '
      + 'had been visited: what was not\n  answered by then counts with the time that it was '
      + 'waited for\n' : '')
    + (synthetic === null ? '' : `\n${syntheticBlocks(synthetic)}`)
    + `\n${goalLines(goals)}`);
}

module.exports = { print };
