'use strict';

// Formats numbers for people.

const number = (value) => value.toFixed(value < 100 ? 2 : 0);
const ms = (value) => `${number(value)} ms`;
const percent = (value) => `${(value * 100).toFixed(1)} %`;

/** Two numbers of the same unit, and their difference. */
const compared = (a, b, unit) =>
  `${number(a)} against ${number(b)} ${unit}, ${a >= b ? '+' : '−'}`
    + `${Math.abs((a / b - 1) * 100).toFixed(1)} %`;

module.exports = { compared, ms, number, percent };
