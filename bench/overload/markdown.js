'use strict';

// Writes the results as one table in Markdown.

const { columnsOf, rowsOf } = require('./columns');

const line = (cells) => `| ${cells.join(' | ')} |\n`;

function block(cell, columns) {
  const lines = rowsOf(cell).map((row) =>
    line([row.name, ...columns.map(({ value }) => value(row))]));
  return line([`**${cell.title}**`, ...columns.map(() => '')]) + lines.join('');
}

function table(cells) {
  const columns = columnsOf(cells[0]);
  const head = line(['', ...columns.map(({ head: text }) => text)]);
  return head + line(Array(columns.length + 1).fill('---'))
    + cells.map((cell) => block(cell, columns)).join('');
}

/** A table of the loads, and one of the burst, which has more columns. */
function markdown({ cells }) {
  const groups = [cells.filter(({ part }) => part !== 'burst'),
    cells.filter(({ part }) => part === 'burst')];
  return groups.filter((group) => group.length > 0).map(table).join('\n');
}

module.exports = { markdown };
