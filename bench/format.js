'use strict';

// Numbers as the table shows them: three digits are what repeated runs agree on at best.

function number(value) {
  const size = Math.abs(value);
  if (size >= 100 || Number.isInteger(value)) return Math.round(value).toLocaleString('en-US');
  return value.toFixed(size >= 10 ? 1 : 2);
}

module.exports = { number };
