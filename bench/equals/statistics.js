'use strict';

// Computes the figures of a row from its runs: how long the pages of each kind took, and what was
// wrong with the measurement itself.

const { mean, quantile } = require('simple-statistics');

const at = (list, p) => (list.length === 0 ? null : quantile(list, p));
const sum = (list) => list.reduce((total, item) => total + item, 0);

/** The figures of the pages that took so many milliseconds. */
function summarizeTimes(times) {
  return {
    pages: times.length,
    mean: times.length === 0 ? null : mean(times),
    p50: at(times, 0.5),
    p90: at(times, 0.9),
    p99: at(times, 0.99),
  };
}

/** The times of the pages of a kind that were asked for from `from` on. */
function timesOf(runs, kind, from) {
  return runs.flatMap(({ requests, results }) => results
    .filter((_, i) => requests[i].name === kind && requests[i].time >= from)
    .map(({ ms }) => ms));
}

function summarizeRow({ runs, ...row }, { kinds, from }) {
  const byKind = kinds.map((kind) => [kind, summarizeTimes(timesOf(runs, kind, from))]);
  const lateness = runs.flatMap((run) => run.lateness);
  const results = runs.flatMap((run) => run.results);
  const isWaitingKnown = runs.every(({ waiting }) => waiting !== null);
  return {
    ...row,
    kinds: Object.fromEntries(byKind),
    failed: results.filter(({ outcome }) => outcome !== 'served').length,
    lateP99: at(lateness, 0.99),
    // The part of the time in which others had the server's processor.
    waiting: isWaitingKnown
      ? sum(runs.map(({ waiting }) => waiting)) / sum(runs.map(({ requests }) =>
        requests.at(-1).time))
      : null,
  };
}

/** Returns the cell with the figures of each row. */
const summarize = (cell) => ({ ...cell, rows: cell.rows.map((row) => summarizeRow(row, cell)) });

module.exports = { summarize, summarizeTimes };
