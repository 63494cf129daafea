'use strict';

// Runs the benchmark: more visitors than a server can serve. cells.js defines the measurements,
// goals.js judges them.

const fs = require('node:fs');

const { createOpenLoop, findFaults, measureCells } = require('../open-loop');
const { runBenchmark } = require('../run');

const { createCapacity, createPlan, measureCell } = require('./cells');
const { judge } = require('./goals');
const { readOptionsOrExplain } = require('./options');
const { writePlots } = require('./plot');
const { markdown, print } = require('./report');
const { summarize } = require('./statistics');

const CONTENDERS = require.resolve('./contenders');

// Half of what a page takes; and what stops everything, in ms.
const LATE = { lateP99: 10, lateMost: 100 };

async function measure(options, { startChild, createProgress }) {
  const openLoop = createOpenLoop({ startChild, contenders: CONTENDERS });
  const findCapacity = createCapacity(openLoop);
  const plan = createPlan(options);
  await measureCells(plan, options.runs,
    (cell, round) => measureCell(cell, round, openLoop, findCapacity), createProgress);
  const cells = plan.map(summarize);
  const { pinned } = openLoop;
  return { pinned, cells, faults: findFaults(cells, pinned, LATE), goals: judge(cells) };
}

runBenchmark({
  command: 'bench overload', readOptions: readOptionsOrExplain, measure, print,
  outputs: {
    markdown: (file, results) => fs.writeFileSync(file, markdown(results)),
    svg: writePlots,
  },
});
