'use strict';

// Computes the numbers of a round, the medians over rounds, and the distribution of the latencies
// of all rounds.

const { median, quantile, quantileSorted } = require('simple-statistics');

// The points of a curve for each nine of the percentile: 0 to 90 %, 90 to 99 %, and so on.
const POINTS = 24;

function tail(times) {
  const [p50, p99] = quantile(times, [0.5, 0.99]);
  return { p50, p99 };
}

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
  const health = tail(load.health);
  const first = tail(load.first);
  const page = tail(load.complete);
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
  const medians = Object.fromEntries(
    Object.keys(rounds[0]).map((key) => [key, median(rounds.map((round) => round[key]))]));
  return {
    medians,
    rounds,
    cut: raw.filter(({ load }) => load.cut).length,
    distributions: {
      health: distribution(raw.flatMap(({ load }) => load.health)),
      page: distribution(raw.flatMap(({ load }) => load.complete)),
    },
  };
}

/** Compares two configurations round by round, because other load on the machine affects both. */
function compare(a, b, key) {
  const ratios = a.rounds.map((round, i) => round[key] / b.rounds[i][key]);
  return { median: median(ratios), min: Math.min(...ratios), max: Math.max(...ratios) };
}

module.exports = { compare, summarize };
