'use strict';

// Prints the results: a table for each crowd of visitors, the goals, and what was wrong with the
// measurement itself.

const { table } = require('../../examples/docs-site/report');

const { columnsOf, rowsOf } = require('./columns');
const { PATIENCE } = require('./parts');
const { PAGE_MS } = require('./work');

const NAME = { head: '', value: ({ name }) => name };

const block = (cell) =>
  `${cell.title}; capacity ${cell.capacity.toFixed(1)} pages/s\n`
    + `${table([NAME, ...columnsOf(cell)], rowsOf(cell))}\n`;

const VERDICTS = new Map([[true, 'met    '], [false, 'NOT MET'], [null, 'UNKNOWN']]);

const goalLines = (goals) => goals.map(({ scope, text, met, detail }) =>
  `${VERDICTS.get(met)}  ${scope}: ${text}\n           ${detail}\n`).join('');

function printReport({ node, options, cells, goals, faults }) {
  const late = Math.max(...cells.flatMap(({ rows }) => rows.map(({ lateP99 }) => lateP99)));
  process.stdout.write(`Node ${node}; ${options.runs} runs of ${options.seconds} s\n`
    + `A page holds the thread for ${PAGE_MS} ms. Visitors arrive at random and leave after `
    + `${PATIENCE} ms: one in five\nwants to check out, one in five is a crawler, the others want `
    + 'pages. Shares of the visitors who were\nserved; times in ms from when they arrived; '
    + 'refusals: those on arrival; goodput: pages for visitors who\nwere still there, as a share '
    + 'of the capacity.\n\n'
    + `${cells.map(block).join('\n')}\n${goalLines(goals)}\n`
    + `visitors were sent at most ${late.toFixed(1)} ms late, at p99 of any row\n`
    + `${faults.map((fault) => `NOT VALID  ${fault}\n`).join('')}`);
}

module.exports = { printReport };
