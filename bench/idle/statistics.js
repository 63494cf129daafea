'use strict';

// Computes the figures of a row from its rounds, and those that compare it with the row without
// background work.

const { median } = require('simple-statistics');

const { sum, summarizeTimes } = require('../statistics');

const total = (rounds, key) => sum(rounds.map((round) => round[key]));

/** The quantiles of all requests of all rounds, in ms. */
function latencies(rounds) {
  const { count, p50, p90, p99 } = summarizeTimes(rounds.flatMap((round) => round.times));
  return { requests: count, p50, p90, p99 };
}

/**
 * The background work that was done, as a share of the processor time that requests left of the
 * quota. What requests take is what was used without background work in the same round.
 */
function workOf(round, baseline) {
  const { capacity, elapsed, usage } = round;
  const foreground = baseline === undefined ? 0 : baseline.usage / baseline.elapsed * elapsed;
  return (usage - foreground) / (capacity * elapsed - foreground);
}

/** The second from which on at most one period in ten was throttled; null: none. */
function obeyedAfter(series) {
  const last = series.findLastIndex((share) => share > 0.1);
  return last === series.length - 1 ? null : last + 1;
}

function share(rounds) {
  const counts = rounds.flatMap(({ pieces }) => {
    return pieces.length < 2 ? [] : [Math.min(...pieces) / Math.max(1, ...pieces)];
  });
  return counts.length === 0 ? null : Math.min(...counts);
}

const ratio = (own, base) => (own === null || base === null ? NaN : own / base);

function summarizeRow(row, none) {
  const { contender, runs: rounds } = row;
  const own = latencies(rounds);
  const base = none === undefined ? {} : latencies(none.runs);
  const works = rounds.map((round, i) => workOf(round, none?.runs[i]));
  const idle = contender === 'none';
  return {
    ...row,
    ...own,
    ratioP90: ratio(own.p90, base.p90),
    ratioP99: ratio(own.p99, base.p99),
    work: idle ? null : median(works),
    throttled: total(rounds, 'throttled') / Math.max(1, total(rounds, 'periods')),
    share: idle ? null : share(rounds),
    obeyed: rounds.flatMap(({ series }) => (series === undefined ? [] : [obeyedAfter(series)])),
  };
}

/** Returns the cell with the figures of each row. */
function summarize(cell) {
  const none = cell.rows.find(({ contender }) => contender === 'none');
  return { ...cell, rows: cell.rows.map((row) => summarizeRow(row, none)) };
}

module.exports = { summarize };
