'use strict';

// `npm run bench tasks`: tasks of this scheduler and of its peers. A cell is a case of cases/; its
// rows are measured in other processes.

const os = require('node:os');
const { median } = require('simple-statistics');
const { flag, regex, rounds } = require('../harness/options');
const { nameColumn } = require('../harness/report');
const { allCases } = require('./cases');
const { OURS, judge, number } = require('./goals');

const CASES = require.resolve('./cases');

const options = {
  only: regex('run only the cases whose names match'),
  rounds: rounds(5, 2),
  quick: flag('fewer and smaller runs, without the cases of 10^6 tasks and those that take longer: '
    + 'half a minute'),
};

function plan({ only, quick, rounds: count }) {
  const all = allCases({ quick });
  const chosen = all.filter(({ name }) => only.test(name));
  if (chosen.length === 0) {
    const names = all.map(({ name }) => name).join(' ');
    throw new Error(`--only ${only.source} matches none of the cases ${names}`);
  }
  return chosen.map((one) => ({
    ...one, quick,
    title: `${one.name}: ${one.title}`,
    rounds: Math.min(count, one.maxRounds),
    rows: one.rows.map((name) => ({ name, runs: [] })),
  }));
}

// The processes of a case: one for all rows, for each row, or for each sample.
function createCaseProcesses({ name, quick, processes: kind }, { start }) {
  const kept = new Map();
  const begin = () =>
    start(CASES, { args: [name, String(quick)], execArgv: ['--expose-gc'], place: 'any' });
  return {
    async measure(row, isWarmUp) {
      const key = kind === 'one' ? 'all' : row;
      const child = kept.get(key) ?? begin();
      const sample = await child.ask('measure', { row, isWarmUp });
      if (kind === 'each sample') await child.end();
      else kept.set(key, child);
      return sample;
    },
    async end() {
      for (const child of kept.values()) await child.end();
    },
  };
}

// A sample is null where a row takes no part, as it would take too long.
async function measure(cell, turns, processes) {
  const own = createCaseProcesses(cell, processes);
  if (cell.processes !== 'each sample') {
    for (const { name } of cell.rows) await own.measure(name, true);
  }
  for (const { rows } of turns) {
    for (const { name, runs } of rows) {
      const sample = await own.measure(name, false);
      if (sample !== null) runs.push(sample);
    }
  }
  await own.end();
}

const medianOf = (runs, valueOf) => (runs.length === 0 ? null : median(runs.map(valueOf)));

// The cell with medians, and ratios to our row, or to the first one.
function summarize({ rows, ...cell }) {
  const base = rows.find(({ name }) => name === OURS) ?? rows[0];
  const value = ({ runs }) => medianOf(runs, (run) => run.value);
  const ratio = (row) => (row === base || !value(base) ? null : value(row) / value(base));
  return {
    ...cell,
    rows: rows.map((row) => ({
      ...row,
      median: value(row),
      ratio: row.runs.length === 0 ? null : ratio(row),
      details: row.runs.length === 0 ? [] : Object.entries(cell.details).map(([name, unit]) =>
        `${name} ${number(medianOf(row.runs, ({ details }) => details[name]))} ${unit}`.trim()),
    })),
  };
}

const columns = ({ unit }) => [
  nameColumn(),
  { head: unit, value: ({ median: value }) => (value === null ? '–' : number(value)) },
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
