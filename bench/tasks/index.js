'use strict';

// `npm run bench tasks`: tasks of this scheduler and of its peers. A cell is a case of cases/; its
// rows are measured in other processes.

const os = require('node:os');
const { median } = require('simple-statistics');
const { regex, rounds } = require('../harness/options');
const { column, nameColumn } = require('../harness/report');
const { allCases } = require('./cases');
const { OURS, judge, number } = require('./goals');

const CASES = require.resolve('./cases');

const options = {
  only: regex('run only the cases whose names match'),
  rounds: rounds(5),
};

function plan({ only }) {
  const chosen = allCases.filter(({ name }) => only.test(name));
  if (chosen.length === 0) {
    const names = allCases.map(({ name }) => name).join(' ');
    throw new Error(`--only ${only.source} matches none of the cases ${names}`);
  }
  return chosen.map((one) => ({
    ...one,
    title: `${one.name}: ${one.title}`,
    rows: one.rows.map((name) => ({ name, runs: [] })),
  }));
}

// Each row has a process of its own: V8 would compile the code that they share for all of them, and
// an AsyncLocalStorage that one row starts slows all promises of its process before Node 24.
async function measure({ name: wanted, isNewEachTime, rows: all }, turns, { start }) {
  const begin = () =>
    start(CASES, { args: [wanted], execArgv: ['--expose-gc'], place: 'any' });
  const kept = new Map();
  for (const { name } of isNewEachTime ? [] : all) {
    kept.set(name, begin());
    await kept.get(name).ask('measure', { row: name, isWarmUp: true });
  }
  for (const { rows } of turns) {
    for (const { name, runs } of rows) {
      const child = kept.get(name) ?? begin();
      runs.push(await child.ask('measure', { row: name, isWarmUp: false }));
      if (isNewEachTime) await child.end();
    }
  }
  for (const child of kept.values()) await child.end();
}

// The cell with medians, and ratios to our row, or to the first one.
function summarize({ rows, ...cell }) {
  const base = rows.find(({ name }) => name === OURS) ?? rows[0];
  const value = ({ runs }) => median(runs.map((run) => run.value));
  const ratio = (row) => (row === base || value(base) === 0 ? null : value(row) / value(base));
  return {
    ...cell,
    rows: rows.map((row) => ({
      ...row,
      median: value(row),
      ratio: ratio(row),
      details: Object.entries(cell.details).map(([name, unit]) =>
        `${name} ${number(median(row.runs.map(({ details }) => details[name])))} ${unit}`),
    })),
  };
}

const columns = ({ unit }) => [
  nameColumn(),
  column(unit, 'median', number),
  { head: 'ratio', value: ({ ratio }) => (ratio === null ? '' : `${number(ratio)} ×`) },
  { head: 'in detail', value: ({ details }) => details.join(', ') },
];

module.exports = {
  title: 'Tasks',
  about: 'Tasks of this scheduler and of its peers, case by case, with the goals below.',
  options, plan, measure, summarize, columns,
  open: (chosen, processes) => processes,
  judge: (cells) => cells.flatMap(judge),
  introduce: () => `${process.platform}-${process.arch}, ${os.cpus()[0]?.model.trim()}. Medians;
the ratio says how many times as much as uv-scheduler a row takes, or as the first row of a block.
`,
};
