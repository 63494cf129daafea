'use strict';

// Runs the benchmark: pages of one priority that share a thread. cells.js defines the measurements,
// goals.js judges them.

const fs = require('node:fs');

const { createOpenLoop, findFaults, measureCells } = require('../open-loop');
const { runBenchmark } = require('../run');

const { createPlan, measureCell, summarize } = require('./cells');
const { judge } = require('./goals');
const { readOptionsOrExplain } = require('./options');
const { writePlots } = require('./plot');
const { print, toMarkdown } = require('./report');

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

runBenchmark({
  command: 'bench equals', readOptions: readOptionsOrExplain, measure, print,
  outputs: {
    markdown: (file, results) => fs.writeFileSync(file, toMarkdown(results)),
    svg: writePlots,
  },
});
