'use strict';

// The parts of all benchmarks that compute figures.

const { mean, median, quantile } = require('simple-statistics');

const sum = (list) => list.reduce((total, item) => total + item, 0);
const meanOf = (list) => (list.length === 0 ? null : mean(list));
const at = (list, p) => (list.length === 0 ? null : quantile(list, p));

// The figures of some times; null where there are none.
const summarizeTimes = (times) => ({
  mean: meanOf(times),
  p50: at(times, 0.5), p90: at(times, 0.9), p99: at(times, 0.99),
});

// The medians of objects of numbers, by their keys.
const mediansOf = (rounds) => Object.fromEntries(Object.keys(rounds[0]).map((key) =>
  [key, median(rounds.map((round) => round[key]))]));

// The median ratio of two rows, round by round, because other load on the machine affects both.
const compare = (a, b, key) => median(a.rounds.map((round, i) => round[key] / b.rounds[i][key]));

// A list in this order in even rounds, and the other way round in odd ones.
const ordered = (list, round) => (round % 2 === 0 ? list : [...list].reverse());

module.exports = { at, compare, meanOf, mediansOf, ordered, sum, summarizeTimes };
