'use strict';

// Defines the project's goals as conditions on the medians of one case, and their texts. The cases
// choose their goals.

/** Formats with three digits: repeated runs agree on no more. */
function number(value) {
  const size = Math.abs(value);
  if (size >= 100 || Number.isInteger(value)) return Math.round(value).toLocaleString('en-US');
  return value.toFixed(size >= 10 ? 1 : 2);
}

const OURS = 'uv-scheduler';

// A goal of a row: a condition on its median and on those of other rows.
const goal = (row, text, others, isMet) => {
  const needs = [row, ...others];
  return { row, text, needs, isMet: (medians) => isMet(...needs.map((one) => medians.get(one))) };
};

// A peer takes at least `factor` times as long as we do.
const timesAsFast = (row, factor) =>
  goal(row, `≥ ${factor}×`, [OURS], (its, ours) => its / ours >= factor);

// We take at most `factor` times as much as a peer.
const timesAsMuch = (row, factor) =>
  goal(row, `ours ≤ ${factor}×`, [OURS], (its, ours) => ours / its <= factor);

const atMost = (limit, unit, row = OURS) =>
  goal(row, `≤ ${number(limit)} ${unit}`, [], (its) => its <= limit);

const atLeast = (limit, unit, row) =>
  goal(row, `≥ ${number(limit)} ${unit}`, [], (its) => its >= limit);

// A row takes at most `limit`, and at most this part of what a peer takes.
const atMostAndPart = (limit, unit, part, peer, row) =>
  goal(row, `≤ ${number(limit)} ${unit} and ≤ ${part}× ${peer}`, [peer],
    (its, peers) => its <= limit && its / peers <= part);

// A row exceeds another by at most `limit`.
const above = (base, limit, text, row = OURS) =>
  goal(row, text, [base], (its, bases) => its - bases <= limit);

// Returns by row the goal's text and whether it is met, or undefined if a median is missing.
function judge(goals, medians) {
  const judged = new Map();
  for (const { row, text, isMet, needs } of goals) {
    const canTell = needs.every((name) => medians.has(name));
    judged.set(row, { text, met: canTell ? isMet(medians) : undefined });
  }
  return judged;
}

module.exports = {
  OURS, above, atLeast, atMost, atMostAndPart, judge, number, timesAsFast, timesAsMuch,
};
