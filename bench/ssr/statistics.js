'use strict';

// Owns the arithmetic: what a round says in numbers, the medians over rounds, and the distribution
// of the latencies of all rounds. Measures nothing and prints nothing.

const { median, quantile, quantileSorted } = require('simple-statistics');

// Points of a curve for each decimal of the percentile: 0 to 90 %, 90 to 99 %, and so on.
const POINTS = 24;

function tail(times) {
  const [p50, p99] = quantile(times, [0.5, 0.99]);
  return { p50, p99 };
}

/**
 * The latency at each of a series of percentiles, as long as ten samples lie beyond it, and up to
 * the median in any case.
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

/** What one round measured, as numbers of one level. */
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

/** How two configurations compare: round by round, as what else the machine does hits both. */
function compare(a, b, key) {
  const ratios = a.rounds.map((round, i) => round[key] / b.rounds[i][key]);
  return { median: median(ratios), min: Math.min(...ratios), max: Math.max(...ratios) };
}

module.exports = { compare, summarize };
