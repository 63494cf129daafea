'use strict';

// The measurements and their figures. A cell is a mix of pages at a load; its rows are the
// contenders, and the ideal thread with the same visitors.

const { createRows, summarizeCare } = require('../open-loop');
const { summarizeTimes } = require('../statistics');

const { NAMES } = require('./contenders');
const { serveIdeally } = require('./ideal');
const { MIXES, kindOf } = require('./mixes');

const IDEAL = 'an ideal thread that knows all sizes';

function createPlan({ mixes, loads, contenders, seconds, warm }) {
  return mixes.flatMap((mix) => loads.map((load) => ({
    mix, load,
    title: `${MIXES[mix].title}, at ${load} of the capacity`,
    kinds: MIXES[mix].kinds.map(({ name }) => name),
    seconds: warm + seconds,
    from: warm * 1000,
    rows: createRows(contenders, NAMES),
  })));
}

/** The figures of the pages of each kind that were asked for from `from` on. */
function summarizeKinds(runs, { kinds, from }) {
  return Object.fromEntries(kinds.map((kind) => [kind, summarizeTimes(
    runs.flatMap(({ visitors, results }) => results
      .filter((_, i) => visitors[i].name === kind && visitors[i].time >= from)
      .map(({ ms }) => ms)))]));
}

function summarizeRow({ runs, ...row }, cell) {
  const results = runs.flatMap((run) => run.results);
  return {
    ...row, ...summarizeCare(runs),
    kinds: summarizeKinds(runs, cell),
    // No server refuses a request, and no visitor leaves.
    failed: results.filter(({ outcome }) => outcome !== 'served').length,
  };
}

function summarizeIdeal(cell) {
  const runs = cell.rows[0].runs.map(({ visitors }) => {
    const times = serveIdeally(visitors, (name) => kindOf(MIXES[cell.mix], name));
    return { visitors, results: times.map((ms) => ({ ms })) };
  });
  return { contender: 'ideal', name: IDEAL, kinds: summarizeKinds(runs, cell) };
}

/** Returns the cell with the figures of each row, and those of the ideal. */
const summarize = (cell) => ({
  ...cell, rows: cell.rows.map((row) => summarizeRow(row, cell)), ideal: summarizeIdeal(cell),
});

module.exports = { createPlan, summarize };
