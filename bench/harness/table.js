'use strict';

// Formats tables for the terminal. A column is { head, value(row) }.

const Table = require('cli-table3');

/** The first column is for names, the others are for numbers. */
function table(columns, rows) {
  const result = new Table({
    head: columns.map(({ head }) => head),
    colAligns: columns.map((_, i) => (i === 0 ? 'left' : 'right')),
    rowAligns: ['bottom'],
    style: { head: [], border: [], compact: true },
  });
  result.push(...rows.map((row) => columns.map(({ value }) => value(row))));
  return result.toString();
}

module.exports = { table };
