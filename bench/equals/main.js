'use strict';

// Runs the benchmark: pages of one priority that share a thread. cells.js defines the measurements,
// goals.js judges them.

const { createOpenLoop, findFaults, measureCells, rowsOfRun } = require('../open-loop');
const { faultLines, fixed, goalLines, nameColumn, table } = require('../report');
const { runBenchmark } = require('../run');

const { createPlan, summarize } = require('./cells');
const { judge } = require('./goals');
const { MIXES, createVisitors } = require('./mixes');
const { readOptionsOrExplain } = require('./options');

const CONTENDERS = require.resolve('./contenders');

// Longer than any visitor waits, in ms.
const PATIENCE = 120_000;
// The time of a short page, in ms.
const LATE = { lateP99: 3 };

async function measure(options, { startChild, createProgress }) {
  const { measureRow, pinned } = createOpenLoop({ startChild, contenders: CONTENDERS });
  const plan = createPlan(options);
  await measureCells(plan, options.runs, async (cell, round) => {
    const { mix, load, seconds, kinds: [kind] } = cell;
    const seed = `${round.run} ${mix} ${load}`;
    const visitors = createVisitors(MIXES[mix], { load, seconds, seed });
    for (const { contender, runs } of rowsOfRun(cell, round)) {
      runs.push(await measureRow({ contender, mix }, visitors,
        { page: `/${kind}`, habits: { patience: PATIENCE } }));
    }
  }, createProgress);
  const cells = plan.map(summarize);
  return { pinned, cells, faults: findFaults(cells, pinned, LATE), goals: judge(cells) };
}

const columnsOf = (kind) => [
  { head: `${kind}\npages`, value: ({ kinds }) => String(kinds[kind].count) },
  ...['mean', 'p50', 'p90', 'p99'].map((figure) =>
    ({ head: figure, value: ({ kinds }) => fixed(1)(kinds[kind][figure]) })),
];

const block = ({ title, kinds, rows, ideal }) =>
  `${title}\n${table([nameColumn(), ...kinds.flatMap(columnsOf)], [...rows, ideal])}\n`;

function print({ node, options, cells, goals, faults }) {
  process.stdout.write(`Node ${node}; ${options.runs} runs of ${options.seconds} s\n`
    + 'Visitors arrive at random, the same ones for all rows. Times in ms from when they arrived '
    + 'until\ntheir pages were complete.\n\n'
    + `${cells.map(block).join('\n')}\n${goalLines(goals)}${faultLines(faults)}`);
}

runBenchmark({ command: 'bench equals', readOptions: readOptionsOrExplain, measure, print });
