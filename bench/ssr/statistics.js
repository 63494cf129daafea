'use strict';

// Computes the numbers of a round, the medians over rounds, and the distribution of the latencies
// of all rounds.

const { quantileSorted } = require('simple-statistics');

const { mediansOf, summarizeTimes } = require('../statistics');

// The points of a curve for each nine of the percentile: 0 to 90 %, 90 to 99 %, and so on.
const POINTS = 24;

/**
 * Returns the latencies at a series of percentiles: those with at least ten samples beyond them,
 * and always those up to the median.
 */
function distribution(times) {
  const sorted = Float64Array.from(times).sort();
  const curve = [];
  const last = Math.max(Math.log10(2), Math.log10(sorted.length / 10));
  for (let i = 0; i / POINTS <= last; i++) {
    const p = 1 - 10 ** (-i / POINTS);
    curve.push([p, quantileSorted(sorted, p)]);
  }
  return curve;
}

/** Returns the measurements of one round as a flat object of numbers. */
function summarizeRound({ load, server }) {
  const health = summarizeTimes(load.health);
  const first = summarizeTimes(load.first);
  const page = summarizeTimes(load.complete);
  const seconds = load.elapsed / 1000;
  return {
    healthP50: health.p50,
    healthP99: health.p99,
    firstP50: first.p50,
    firstP99: first.p99,
    pageP50: page.p50,
    pageP99: page.p99,
    pagesPerSecond: load.pages / seconds,
    indexedPerSecond: server.indexed / server.elapsed * 1000,
    backgroundShare: server.backgroundMs / server.elapsed,
    utilization: server.utilization,
    garbagePerSecond: server.garbage.total / server.elapsed * 1000,
    garbagePerPage: server.garbage.total / Math.max(1, load.pages),
    garbageLongest: server.garbage.longest,
  };
}

function summarize(raw) {
  const rounds = raw.map(summarizeRound);
  return {
    medians: mediansOf(rounds),
    rounds,
    cut: raw.filter(({ load }) => load.cut).length,
    distributions: {
      health: distribution(raw.flatMap(({ load }) => load.health)),
      page: distribution(raw.flatMap(({ load }) => load.complete)),
    },
  };
}

module.exports = { summarize };
