'use strict';

// How the table and the page of a guard show numbers.

const inMs = (milliseconds) => {
  if (milliseconds >= 10_000) return `${(milliseconds / 1000).toFixed(1)} s`;
  return `${milliseconds.toFixed(milliseconds < 10 ? 1 : 0)} ms`;
};
const inPercent = (share) => `${(100 * share).toFixed(1)} %`;

module.exports = { inMs, inPercent };
