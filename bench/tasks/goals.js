'use strict';

// Defines the project's goals as conditions on the medians of a case, and their texts. The cases
// choose their goals.

// Formats with three digits: repeated runs agree on no more.
function number(value) {
  const size = Math.abs(value);
  if (size >= 100 || Number.isInteger(value)) return Math.round(value).toLocaleString('en-US');
  return value.toFixed(size >= 10 ? 1 : 2);
}

const OURS = 'uv-scheduler';

// A goal of a row: a condition on its median and on that of another row.
const goal = (row, text, isMet, other = row) => ({ row, text, other, isMet });

// A peer takes at least `factor` times as long as we do.
const timesAsFast = (row, factor) => goal(
  row, `takes at least ${factor} × as long as ours`, (its, ours) => its / ours >= factor, OURS);

// We take at most `factor` times as much as a peer.
const timesAsMuch = (row, factor) =>
  goal(row, `ours takes at most ${factor} × as much`, (its, ours) => ours / its <= factor, OURS);

const atMost = (limit, unit, row = OURS) =>
  goal(row, `at most ${number(limit)} ${unit}`, (its) => its <= limit);

// A row exceeds another by at most `limit`.
const above = (base, limit, text, row = OURS) =>
  goal(row, text, (its, bases) => its - bases <= limit, base);

// The goals of a case with its medians (report.js).
function judge({ name, unit, rows, goals }) {
  const medians = new Map(rows.map((row) => [row.name, row.median]));
  return goals.map(({ row, text, other, isMet }) => {
    const needed = [row, other].map((each) => medians.get(each) ?? null);
    const shown = needed.map((value) => (value === null ? '–' : number(value)));
    return {
      scope: name, text: `${row}: ${text}`,
      met: needed.includes(null) ? null : isMet(...needed),
      details: [`it is ${[...new Set(shown)].join(', of the other ')} ${unit}`],
    };
  });
}

module.exports = { OURS, above, atMost, judge, number, timesAsFast, timesAsMuch };
