'use strict';

// Runs the benchmark: pages of one priority that share a thread. plan.js defines the measurements,
// goals.js judges them.

const fs = require('node:fs');

const { createChildren } = require('../../examples/docs-site/children');
const { createProgress } = require('../../examples/docs-site/progress');

const { findFaults, judge } = require('./goals');
const { createMeasure } = require('./measure');
const { readOptionsOrExplain } = require('./options');
const { createPlan } = require('./plan');
const { printReport } = require('./report');
const { summarize } = require('./statistics');

const { startChild, finish } = createChildren('bench:equals');

async function measureAll(options) {
  const { measureCell, pinned } = createMeasure({ startChild });
  const plan = createPlan(options);
  const steps = plan.reduce((sum, { rows }) => sum + rows.length, 0);
  const progress = createProgress(steps * options.runs);
  for (let run = 0; run < options.runs; run++) {
    for (const cell of plan) {
      const step = (name) =>
        progress.step(`${cell.title}, run ${run + 1} of ${options.runs}: ${name}`);
      await measureCell(cell, { run, step });
    }
  }
  progress.end();
  const cells = plan.map(summarize);
  return {
    node: process.version, pinned, options, cells,
    faults: findFaults(cells, pinned), goals: judge(cells),
  };
}

async function main() {
  const options = readOptionsOrExplain(process.argv.slice(2));
  if (options === null) return;
  const { json } = options;
  process.on('SIGINT', () => finish(new Error('interrupted'), 130));
  process.on('SIGTERM', () => finish(new Error('terminated'), 143));
  try {
    // Fails now, rather than after minutes of measuring, if the results cannot be written.
    if (json !== null) fs.closeSync(fs.openSync(json, 'a'));
    const results = await measureAll(options);
    printReport(results);
    if (json !== null) fs.writeFileSync(json, `${JSON.stringify(results, null, 2)}\n`);
    finish();
  } catch (error) {
    finish(error);
  }
}

main();
