'use strict';

// The measurements and their figures. A cell is a mix of pages at a load; its rows are the
// contenders, and the ideal thread with the same visitors.

const { createRows, rowsOfRun, summarizeCare } = require('../open-loop');
const { summarizeTimes } = require('../statistics');

const { NAMES } = require('./contenders');
const { serveIdeally } = require('./ideal');
const { KNOWN, MIXES, createVisitors, kindOf, measuredOf } = require('./mixes');

const IDEAL = 'an ideal thread that knows all sizes';

// Longer than any visitor waits who does not leave, in ms.
const PATIENCE = 120_000;

function createRowsOf({ contenders: own, alone = false, kinds: [{ name }] }, contenders) {
  const chosen = contenders.filter((each) => own?.includes(each) ?? true);
  const rows = createRows(chosen, NAMES);
  if (!alone) return rows;
  const rest = createRows(chosen.filter((each) => KNOWN.includes(each)), NAMES);
  return [...rows, ...rest.map((row) =>
    ({ ...row, name: `${row.name}, ${name} alone`, isAlone: true }))];
}

function createPlan({ mixes, loads, contenders, seconds, warm }) {
  const cells = mixes.flatMap((name) => (MIXES[name].loads ?? loads).map((load) => ({
    mix: name, load,
    title: `${MIXES[name].title}, at ${load} of the capacity`,
    kinds: measuredOf(MIXES[name]),
    seconds: warm + seconds,
    from: warm * 1000,
    until: (warm + seconds) * 1000,
    rows: createRowsOf(MIXES[name], contenders),
  })));
  return cells.filter(({ rows }) => rows.length > 0);
}

/** Adds a run to each row of a cell. */
async function measureCell({ mix: name, load, seconds, ...cell }, round, openLoop) {
  const { kinds, crowd, lasting = [], patience = PATIENCE, ...mix } = MIXES[name];
  const names = kinds.map((kind) => kind.name);
  const way = { page: `/${names[0]}` };
  const visitors = createVisitors({ ...mix, kinds },
    { load, seconds, seed: `${round.run} ${name} ${load}` });
  const habits = {
    patience, lasting: lasting.map((each) => ({ name: each.name, count: each.streams })),
  };
  for (const { contender, isAlone, runs } of rowsOfRun(cell, round)) {
    const options = { contender, mix: name };
    const own = isAlone ? visitors.filter((each) => each.name === names[0]) : visitors;
    runs.push(crowd === undefined
      ? await openLoop.measureRow(options, own, { ...way, habits })
      : await openLoop.measureCrowd(options, { names, visitors: crowd, seconds }, way));
  }
}

const visitsOf = ({ visitors, results, events = [] }) =>
  [...visitors.map((visitor, i) => ({ ...visitor, ...results[i] })), ...events];

/**
 * The figures of the pages of each kind that were asked for from `from` on, and the thread time of
 * those that were complete from then until `until`.
 */
function summarizeKinds(runs, { mix, kinds, from, until }) {
  const visits = runs.flatMap(visitsOf);
  return Object.fromEntries(kinds.map((name) => {
    const all = visits.filter((visit) => visit.name === name);
    const asked = all.filter(({ time }) => time >= from);
    const served = asked.filter(({ outcome }) => outcome === 'served');
    const { count, ms } = kindOf(MIXES[mix], name);
    const complete = all.filter(({ outcome, time, ms: wait }) =>
      outcome === 'served' && time + wait >= from && time + wait < until);
    return [name, {
      asked: asked.length, ...summarizeTimes(served.map(({ ms: wait }) => wait)),
      time: complete.length * count * ms,
    }];
  }));
}

function summarizeRow({ runs, ...row }, cell) {
  const care = summarizeCare(runs);
  const unserved = runs.flatMap(({ results }) => results)
    .filter(({ outcome }) => outcome !== 'served').length;
  return {
    ...row, ...care,
    kinds: summarizeKinds(runs, cell),
    failed: MIXES[cell.mix].mayRefuse ? care.failed : unserved,
  };
}

function summarizeIdeal(cell) {
  const runs = cell.rows[0].runs.map(({ visitors }) => {
    const times = serveIdeally(visitors, (name) => kindOf(MIXES[cell.mix], name));
    return { visitors, results: times.map((ms) => ({ outcome: 'served', ms })) };
  });
  return { contender: 'ideal', name: IDEAL, kinds: summarizeKinds(runs, cell) };
}

/** Returns the cell with the figures of each row, and those of the ideal, or null without one. */
const summarize = (cell) => ({
  ...cell, rows: cell.rows.map((row) => summarizeRow(row, cell)),
  ideal: MIXES[cell.mix].ideal ? summarizeIdeal(cell) : null,
});

module.exports = { IDEAL, createPlan, measureCell, summarize };
