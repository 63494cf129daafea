'use strict';

// Shows the results: a table for each cell, on the screen or in Markdown.

const {
  faultLines, fixed, goalLines, markdownTable, nameColumn, table,
} = require('../report');

const FIGURES = ['mean', 'p50', 'p90', 'p99'];

const countOf = ({ count, asked }) => (count === asked ? `${count}` : `${count} of ${asked}`);

/** The columns of a kind of pages; `separator` stands between its name and the first head. */
const columnsOf = (kind, separator) => [
  { head: `${kind}${separator}served`, value: ({ kinds }) => countOf(kinds[kind]) },
  ...FIGURES.map((figure) =>
    ({ head: figure, value: ({ kinds }) => fixed(1)(kinds[kind][figure]) })),
];

const allColumns = ({ kinds }, separator) =>
  [nameColumn(), ...kinds.flatMap((kind) => columnsOf(kind, separator))];

const rowsOf = ({ rows, ideal }) => (ideal === null ? rows : [...rows, ideal]);

const block = (cell) => `${cell.title}\n${table(allColumns(cell, '\n'), rowsOf(cell))}\n`;

function print({ node, options, cells, goals, faults }) {
  process.stdout.write(`Node ${node}; ${options.runs} runs of ${options.seconds} s\n`
    + 'Visitors arrive at random, the same ones for all rows. Times in ms from when they arrived '
    + 'until\ntheir pages were complete.\n\n'
    + `${cells.map(block).join('\n')}\n${goalLines(goals)}${faultLines(faults)}`);
}

/** What was measured, and how. */
const introduction = ({ node, options: { runs, seconds, mixes, loads } }) => `# Equals

\`npm run bench equals -- --mixes ${mixes} --loads ${loads} --markdown bench/results/equals.md\`

Node ${node}, ${new Date().toISOString().slice(0, 10)}; runs for each row: ${runs}, of ${seconds} s.

Visitors arrive at random, the same ones for all rows of a table. Times are in ms, from when the
visitor should have arrived until the page was complete. Server and visitors have a processor each.
`;

const markdownBlock = (cell) =>
  markdownTable(allColumns(cell, ' '), [{ title: cell.title, rows: rowsOf(cell) }]);

const toMarkdown = (results) => [
  introduction(results),
  ...results.cells.map(markdownBlock),
  ...results.faults.map((fault) => `NOT VALID: ${fault}\n`),
].join('\n');

module.exports = { print, toMarkdown };
