'use strict';

// Formats numbers for the table with three digits: repeated runs agree on no more.

function number(value) {
  const size = Math.abs(value);
  if (size >= 100 || Number.isInteger(value)) return Math.round(value).toLocaleString('en-US');
  return value.toFixed(size >= 10 ? 1 : 2);
}

module.exports = { number };
