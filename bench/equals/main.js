'use strict';

// Runs the benchmark: pages of one priority that share a thread. cells.js defines the measurements,
// goals.js judges them.

const { createOpenLoop, findFaults, measureCells } = require('../open-loop');
const { faultLines, fixed, goalLines, nameColumn, table } = require('../report');
const { runBenchmark } = require('../run');

const { createPlan, measureCell, summarize } = require('./cells');
const { judge } = require('./goals');
const { readOptionsOrExplain } = require('./options');
const { writePlots } = require('./plot');

const CONTENDERS = require.resolve('./contenders');

// The time of a short page, in ms.
const LATE = { lateP99: 3 };

async function measure(options, { startChild, createProgress }) {
  const openLoop = createOpenLoop({ startChild, contenders: CONTENDERS });
  const plan = createPlan(options);
  await measureCells(plan, options.runs, (cell, round) => measureCell(cell, round, openLoop),
    createProgress);
  const cells = plan.map(summarize);
  const { pinned } = openLoop;
  return { pinned, cells, faults: findFaults(cells, pinned, LATE), goals: judge(cells) };
}

const countOf = ({ count, asked }) => (count === asked ? `${count}` : `${count} of ${asked}`);

const columnsOf = (kind) => [
  { head: `${kind}\nserved`, value: ({ kinds }) => countOf(kinds[kind]) },
  ...['mean', 'p50', 'p90', 'p99'].map((figure) =>
    ({ head: figure, value: ({ kinds }) => fixed(1)(kinds[kind][figure]) })),
];

function block({ title, kinds, rows, ideal }) {
  const all = ideal === null ? rows : [...rows, ideal];
  return `${title}\n${table([nameColumn(), ...kinds.flatMap(columnsOf)], all)}\n`;
}

function print({ node, options, cells, goals, faults }) {
  process.stdout.write(`Node ${node}; ${options.runs} runs of ${options.seconds} s\n`
    + 'Visitors arrive at random, the same ones for all rows. Times in ms from when they arrived '
    + 'until\ntheir pages were complete.\n\n'
    + `${cells.map(block).join('\n')}\n${goalLines(goals)}${faultLines(faults)}`);
}

runBenchmark({
  command: 'bench equals', readOptions: readOptionsOrExplain, measure, print,
  outputs: { svg: writePlots },
});
