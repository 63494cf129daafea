'use strict';

// Writes the results as a table in Markdown, and puts it into docs/frameworks.md between two
// comments.

const fs = require('node:fs');
const { median } = require('simple-statistics');

const BEGIN = '<!-- npm run bench frameworks: begin -->';
const END = '<!-- npm run bench frameworks: end -->';

// The goal, at the first load, against the plain program.
const HEALTH_SHARE = 1 / 3;
const PAGE_SHARE = 1.3;

const KEYS = ['healthP99', 'pageP50', 'pageP99', 'pagesPerSecond'];
const HEAD = '| | load | | `/health` p99 ms | page p50 ms | page p99 ms | pages/s | goal |\n'
  + '|---|---|---|---|---|---|---|---|\n';

const digits = (value) => (value < 10 ? value.toFixed(1) : value.toFixed(0));

const of = (row, key) => median(row.runs.map((run) => run[key]));

function cell(row, key) {
  const values = row.runs.map((run) => run[key]);
  const range = `${digits(Math.min(...values))}–${digits(Math.max(...values))}`;
  return `${digits(median(values))} (${range})`;
}

/** Says whether a row reaches the goal, or by how much it misses; nothing where there is none. */
function verdict(row, rows, loads) {
  if (row.variant !== 'uv-scheduler' || row.load !== loads[0]) return '';
  const plain = rows.find(({ program, load, variant }) =>
    program === row.program && load === row.load && variant === 'plain');
  const health = of(row, 'healthP99') / of(plain, 'healthP99');
  const page = of(row, 'pageP50') / of(plain, 'pageP50');
  const isMet = health <= HEALTH_SHARE && page <= PAGE_SHARE;
  return `${isMet ? 'met' : 'missed'}: ${health.toFixed(2)}, ${page.toFixed(2)}`;
}

function toMarkdown({ node, options, loads, rows }) {
  const lines = rows.map((row) => {
    const cells = KEYS.map((key) => cell(row, key));
    const first = [row.title, row.load, row.variant];
    return `| ${[...first, ...cells, verdict(row, rows, loads)].join(' | ')} |\n`;
  });
  return `Node ${node}; medians (and ranges) of ${options.runs} runs of ${options.seconds} s.\n\n`
    + HEAD + lines.join('');
}

function writeInto(file, markdown) {
  const text = fs.readFileSync(file, 'utf8');
  const begin = text.indexOf(BEGIN);
  const end = text.indexOf(END);
  if (begin === -1 || end < begin) throw new Error(`${file} lacks the comments around the table`);
  const before = text.slice(0, begin + BEGIN.length);
  fs.writeFileSync(file, `${before}\n\n${markdown}\n${text.slice(end)}`);
}

module.exports = { BEGIN, END, toMarkdown, writeInto };
