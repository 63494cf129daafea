'use strict';

// The parts of all benchmarks that show results: columns of tables, goals, and faults of the
// measurement. A column is { head, value(row) }, a goal { scope, text, met, details }, of which
// `met` is null where the results cannot tell.

const { table } = require('../examples/docs-site/table');

const NONE = '–';

/** Formats numbers, and has a dash for what is none. */
const or = (format) => (value) =>
  (typeof value === 'number' && Number.isFinite(value) ? format(value) : NONE);
const fixed = (digits) => or((value) => value.toFixed(digits));
const percent = or((share) => `${(share * 100).toFixed(0)} %`);

const column = (head, key, format) => ({ head, value: (row) => format(row[key]) });
const nameColumn = (head = '') => ({ head, value: ({ name }) => name });

const VERDICTS = new Map([[true, 'met    '], [false, 'NOT MET'], [null, 'UNKNOWN']]);

const goalLines = (goals) => goals.map(({ scope, text, met, details }) =>
  `${VERDICTS.get(met)}  ${scope}: ${text}\n`
    + details.map((line) => `           ${line}\n`).join('')).join('');

const faultLines = (faults) => faults.map((fault) => `NOT VALID  ${fault}\n`).join('');

const line = (cells) => `| ${cells.join(' | ')} |\n`;

/** A table in Markdown, of blocks { title, rows } with the same columns. */
function markdownTable(columns, blocks) {
  const empty = columns.slice(1).map(() => '');
  return line(columns.map(({ head }) => head)) + line(columns.map(() => '---'))
    + blocks.map(({ title, rows }) => line([`**${title}**`, ...empty])
      + rows.map((row) => line(columns.map(({ value }) => value(row)))).join('')).join('');
}

module.exports = {
  column, faultLines, fixed, goalLines, markdownTable, nameColumn, or, percent, table,
};
