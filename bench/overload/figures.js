'use strict';

// Computes the figures of a row from its runs: what became of the visitors of each class, how long
// they waited, and how much of the processor's time made pages for those who were still there.

const openLoop = require('../harness/open-loop');
const { at, meanOf } = require('../harness/statistics');
const { serveIdeally } = require('./ideal');
const { CLASSES } = require('./visitors');

const OUTCOMES = ['refused', 'left', 'failed'];

// The visits of a run. `end` is when the outcome was there, in ms of the run.
const join = (run) =>
  openLoop.visitsOf([run]).map((visit) => ({ ...visit, end: visit.time + visit.ms }));

// The figures of some visits.
function summarizeVisits(visits) {
  const timesOf = (wanted, isMeant = () => true) => visits
    .filter((visit) => visit.outcome === wanted && isMeant(visit)).map(({ ms }) => ms);
  return {
    ...openLoop.summarizeVisits(visits),
    ...Object.fromEntries(OUTCOMES.map((outcome) => [outcome, timesOf(outcome).length])),
    // On arrival; others are refused after they have waited.
    refusalP99: at(timesOf('refused', ({ when }) => when !== 'later'), 0.99),
  };
}

function summarizeClasses(visits) {
  const byClass = CLASSES.map(({ name }) =>
    [name, summarizeVisits(visits.filter((visit) => visit.name === name))]);
  return { ...Object.fromEntries(byClass), all: summarizeVisits(visits) };
}

// Pages per second that were complete from `from` until `until`, for visitors still there.
function goodputOf(visits, from, until) {
  const pages = visits.filter(({ outcome, end }) =>
    outcome === 'served' && end >= from && end < until);
  return pages.length / (until - from) * 1000;
}

// The time in ms from `from` until the last visitor arrived who was not served; 0 if all were.
function lastUnserved(visits, from) {
  return Math.max(0, ...visits.filter(({ time, outcome }) => time >= from && outcome !== 'served')
    .map(({ time }) => time - from));
}

// The runs of a row are one sample; only what belongs to a run's own capacity is a mean.
function summarizeRuns(runs, { from, until }) {
  const all = runs.map(join);
  const measured = all.flat().filter(({ time }) => time >= from && time < until);
  return {
    classes: summarizeClasses(measured),
    ofCapacity: meanOf(all.map((visits, i) =>
      goodputOf(visits, from, until) / runs[i].capacity)),
    unserved: Math.max(...all.map((visits) => lastUnserved(visits, until))),
  };
}

// The figures of the ideal queue with the same visitors.
function summarizeIdeal(runs, cell) {
  const served = runs.map(({ visitors, capacity }) => ({
    visitors, capacity,
    results: serveIdeally(visitors, { service: 1000 / capacity, patience: cell.habits.patience }),
  }));
  return { contender: 'ideal', name: 'the ideal queue', ...summarizeRuns(served, cell) };
}

// Returns the cell with the figures of each row, and those of the ideal.
function summarize(cell) {
  const rows = cell.rows.map(({ runs, ...row }) =>
    ({ ...row, ...summarizeRuns(runs, cell), ...openLoop.summarizeCare(runs) }));
  // The last contender is the one that is judged. A visitor who tries again is not simulated.
  const { runs } = cell.rows.at(-1);
  const ideal = cell.habits.retries > 0 ? null : summarizeIdeal(runs, cell);
  return { ...cell, rows, ideal };
}

module.exports = { goodputOf, lastUnserved, summarize, summarizeClasses, summarizeVisits };
