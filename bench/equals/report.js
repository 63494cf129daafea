'use strict';

// Prints the results: a table for each cell, the goals, and what was wrong with the measurement
// itself.

const { table } = require('../../examples/docs-site/report');

const NAME = { head: '', value: ({ name }) => name };

const number = (value) => (value === null ? '–' : value.toFixed(1));

const columnsOf = (kind) => [
  { head: `${kind}\npages`, value: ({ kinds }) => String(kinds[kind].pages) },
  ...['mean', 'p50', 'p90', 'p99'].map((figure) =>
    ({ head: figure, value: ({ kinds }) => number(kinds[kind][figure]) })),
];

const block = ({ title, kinds, rows }) =>
  `${title}\n${table([NAME, ...kinds.flatMap(columnsOf)], rows)}\n`;

const VERDICTS = new Map([[true, 'met    '], [false, 'NOT MET']]);

const goalLines = (goals) => goals.map(({ scope, text, met, detail }) =>
  `${VERDICTS.get(met)}  ${text}: ${detail}\n           ${scope}\n`).join('');

function printReport({ node, options, cells, goals, faults }) {
  process.stdout.write(`Node ${node}; ${options.runs} runs of ${options.seconds} s\n`
    + 'Visitors arrive at random, the same ones for all rows. Times in ms from when they arrived '
    + 'until\ntheir pages were complete.\n\n'
    + `${cells.map(block).join('\n')}\n${goalLines(goals)}`
    + `${faults.map((fault) => `NOT VALID  ${fault}\n`).join('')}`);
}

module.exports = { printReport };
