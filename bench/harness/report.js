'use strict';

// The parts of all benchmarks that show results: tables, goals, and faults of the measurement. A
// column is { head, value(row) }, and also has `figure(row)` and `format` if it shows a number. A
// goal is { scope, text, met, detail }; its `met` is null where the results cannot tell.

const { table } = require('./table');

const NONE = '–';

// Formats numbers, with so many `more` digits than usual, and has a dash for what is none.
const or = (format) => (value, more = 0) =>
  (typeof value === 'number' && Number.isFinite(value) ? format(value, more) : NONE);
const fixed = (digits) => or((value, more) => value.toFixed(digits + more));
const percent = or((share, more) => `${(share * 100).toFixed(more)} %`);
const ms = or((value, more) => `${value.toFixed((value < 100 ? 1 : 0) + more)} ms`);

// A column of what rows have at a path such as 'classes.page.p50'.
const column = (head, path, format = fixed(1)) => {
  const figure = (row) => path.split('.').reduce((value, key) => value?.[key], row);
  return { head, figure, format, value: (row) => format(figure(row)) };
};
const nameColumn = (head = '') => ({ head, value: ({ name }) => name });

// The texts of a figure and of its limit, with enough digits to show whether they differ.
function formatBoth(format, value, limit, more = 0) {
  const texts = [format(value, more), format(limit, more)];
  const [one, other] = texts.map((text) => Number.parseFloat(text.replaceAll(',', '')));
  return value === limit || one !== other ? texts : formatBoth(format, value, limit, more + 1);
}

const compareFigures = (isMet) => (scope, text, value, limit, format = fixed(2)) => ({
  scope, text,
  met: value === null || limit === null ? null : isMet(value, limit),
  detail: `it is ${formatBoth(format, value, limit).join(', the limit ')}`,
});

// Goals of a figure and of its limit; null: not known.
const atMost = compareFigures((value, limit) => value <= limit);
const atLeast = compareFigures((value, limit) => value >= limit);

const VERDICTS = new Map([[true, 'met    '], [false, 'NOT MET'], [null, 'UNKNOWN']]);

const goalLines = (goals) => goals.map(({ scope, text, met, detail }) =>
  `${VERDICTS.get(met)}  ${scope}: ${text}\n           ${detail}\n`).join('');

const faultLines = (faults) => faults.map((fault) => `NOT VALID  ${fault}\n`).join('');

const rowsOf = ({ rows, ideal, idealOverHttp }) =>
  [...rows, ideal, idealOverHttp].filter((row) => row);

const terminalTables = (cells, columnsOf) => cells.map((cell) =>
  `${cell.title}\n${table(columnsOf(cell), rowsOf(cell))}\n`).join('\n');

const line = (texts) => `| ${texts.join(' | ')} |\n`;

// Tables in Markdown, one for all neighbours with the same columns.
function markdownTables(cells, columnsOf) {
  const tables = [];
  for (const cell of cells) {
    const columns = columnsOf(cell);
    const head = line(columns.map((each) => each.head.replaceAll('\n', ' ')))
      + line(columns.map(() => '---'));
    if (tables.at(-1)?.head !== head) tables.push({ head, lines: '' });
    tables.at(-1).lines += line([`**${cell.title}**`, ...columns.slice(1).map(() => '')])
      + rowsOf(cell).map((row) => line(columns.map(({ value }) => value(row)))).join('');
  }
  return tables.map(({ head, lines }) => `${head}${lines}\n`).join('');
}

module.exports = {
  atLeast, atMost, column, faultLines, fixed, goalLines, markdownTables, ms, nameColumn, or,
  percent, terminalTables,
};
