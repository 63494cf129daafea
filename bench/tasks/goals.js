'use strict';

// Defines the project's goals as limits of figures of the medians of a case, and their texts. The
// cases choose their goals.

const report = require('../harness/report');

// Formats with three digits: repeated runs agree on no more.
const number = report.or((value, more) => {
  const size = Math.abs(value);
  if (more === 0 && (size >= 100 || Number.isInteger(value))) {
    return Math.round(value).toLocaleString('en-US');
  }
  return value.toFixed((size >= 100 ? 0 : size >= 10 ? 1 : 2) + more);
});

const OURS = 'uv-scheduler';

// A goal of a row: `compare` judges a figure of its median and of that of another row by a limit.
const goal = (compare, row, text, limit, figureOf = (its) => its, other = row) =>
  ({ compare, row, text, limit, figureOf, other });

// A peer takes at least `factor` times as long as we do.
const timesAsFast = (row, factor) => goal(report.atLeast,
  row, `takes at least ${factor} × as long as ours`, factor, (its, ours) => its / ours, OURS);

// We take at most `factor` times as much as a peer.
const timesAsMuch = (row, factor) => goal(report.atMost,
  row, `ours takes at most ${factor} × as much`, factor, (its, ours) => ours / its, OURS);

const atMost = (limit, unit, row = OURS) =>
  goal(report.atMost, row, `at most ${number(limit)} ${unit}`, limit);

// A row exceeds another by at most `limit`.
const above = (base, limit, text, row = OURS) =>
  goal(report.atMost, row, text, limit, (its, bases) => its - bases, base);

// The goals of a case with its medians (report.js).
function judge({ name, rows, goals }) {
  const medians = new Map(rows.map((row) => [row.name, row.median]));
  return goals.map(({ compare, row, text, limit, figureOf, other }) => {
    const needed = [row, other].map((each) => medians.get(each) ?? null);
    const figure = needed.includes(null) ? null : figureOf(...needed);
    return compare(name, `${row}: ${text}`, figure, limit, number);
  });
}

module.exports = { OURS, above, atMost, judge, number, timesAsFast, timesAsMuch };
