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

// A peer takes at least `factor` times as long as we do.
function timesAsFast(row, factor) {
  return {
    row,
    text: `≥ ${factor}×`,
    isMet: (medians) => medians.get(row) / medians.get(OURS) >= factor,
    needs: [row, OURS],
  };
}

// We take at most `factor` times as much as a peer.
function timesAsMuch(row, factor) {
  return {
    row,
    text: `ours ≤ ${factor}×`,
    isMet: (medians) => medians.get(OURS) / medians.get(row) <= factor,
    needs: [row, OURS],
  };
}

function atMost(limit, unit, row = OURS) {
  return {
    row,
    text: `≤ ${number(limit)} ${unit}`,
    isMet: (medians) => medians.get(row) <= limit,
    needs: [row],
  };
}

function atLeast(limit, unit, row) {
  return {
    row,
    text: `≥ ${number(limit)} ${unit}`,
    isMet: (medians) => medians.get(row) >= limit,
    needs: [row],
  };
}

// A row takes at most `limit`, and at most this part of what a peer takes.
function atMostAndPart(limit, unit, part, peer, row) {
  return {
    row,
    text: `≤ ${number(limit)} ${unit} and ≤ ${part}× ${peer}`,
    isMet: (medians) => medians.get(row) <= limit && medians.get(row) / medians.get(peer) <= part,
    needs: [row, peer],
  };
}

// A row exceeds another by at most `limit`.
function above(base, limit, text, row = OURS) {
  return {
    row,
    text,
    isMet: (medians) => medians.get(row) - medians.get(base) <= limit,
    needs: [row, base],
  };
}

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
