'use strict';

// Prints the results: a table for each cell, and the goals.

const { number } = require('../../examples/docs-site/format');
const { column, goalLines, nameColumn, or, table } = require('../report');

const { QUEUED } = require('./contenders');
const { PAGE_MS, PIECE_MS } = require('./work');

const shown = or(number);
const times = or((value) => `${value.toFixed(2)}×`);
const share = or((value) => value.toFixed(2));

const COLUMNS = [
  nameColumn('background work'),
  column('requests', 'requests', String),
  column('p50 ms', 'p50', shown),
  column('p90 ms', 'p90', shown),
  column('p99 ms', 'p99', shown),
  column('p90', 'ratioP90', times),
  column('p99', 'ratioP99', times),
  column('work', 'work', share),
  column('throttled\nof 100', 'throttled', or((value) => (value * 100).toFixed(1))),
];

const MORE = {
  shared: [column('smaller\nshare', 'share', share)],
  workers: [column('smaller\nshare', 'share', share)],
  halved: [{
    head: 'obeyed\nafter s',
    value: ({ obeyed }) => obeyed.map((each) => (each === null ? 'never' : each)).join(', '),
  }],
};

const block = ({ part, title, rows }) =>
  `${title}\n${table([...COLUMNS, ...MORE[part] ?? []], rows)}\n`;

function print({ node, control, pinned, options, cost, cells, goals }) {
  const hasJobs = QUEUED.some((name) => options.contenders.includes(name));
  const pieces = hasJobs ? ', by workers in jobs of them' : '';
  process.stdout.write(`Node ${node}, ${control}; `
    + `${options.rounds} rounds of ${options.seconds} s\n`
    + `${pinned ? '' : 'processes are not bound to processors: there is one, or no taskset\n'}`
    + `Pages of ${PAGE_MS} ms, and a small request for every two of them, `
    + `${number(cost)} ms on average, arrive at\nrandom. Background work never ends; it is done in `
    + `pieces of ${PIECE_MS} ms${pieces}.\nwork: the processor time that it got, as a share of `
    + 'what requests left of the quota.\n'
    + 'throttled: of 100 periods in which the group was active.\n\n'
    + `${cells.map(block).join('\n')}\n${goalLines(goals)}`);
}

module.exports = { print };
