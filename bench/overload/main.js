'use strict';

// Runs the benchmark: more visitors than a server can serve. parts.js defines the measurements,
// goals.js judges them.

const fs = require('node:fs');
const path = require('node:path');

const { createChildren } = require('../../examples/docs-site/children');
const { createProgress } = require('../../examples/docs-site/progress');

const { judge } = require('./goals');
const { markdown } = require('./markdown');
const { createMeasure } = require('./measure');
const { readOptionsOrExplain } = require('./options');
const { createPlan } = require('./parts');
const { PLOTS, writePlots } = require('./plot');
const { printReport } = require('./report');
const { summarize } = require('./statistics');
const { findFaults } = require('./validity');

const { startChild, finish } = createChildren('bench:overload');

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

/** Fails now, rather than after minutes of measuring, if the results cannot be written. */
function checkFiles({ json, markdown: table, svg }) {
  const plots = svg === null ? [] : PLOTS.map(({ file }) => path.join(svg, file));
  for (const file of [json, table, ...plots].filter((name) => name !== null)) {
    fs.closeSync(fs.openSync(file, 'a'));
  }
}

async function main() {
  const options = readOptionsOrExplain(process.argv.slice(2));
  if (options === null) return;
  process.on('SIGINT', () => finish(new Error('interrupted'), 130));
  process.on('SIGTERM', () => finish(new Error('terminated'), 143));
  try {
    checkFiles(options);
    const results = await measureAll(options);
    printReport(results);
    const { json, svg } = options;
    if (json !== null) fs.writeFileSync(json, `${JSON.stringify(results, null, 2)}\n`);
    if (options.markdown !== null) fs.writeFileSync(options.markdown, markdown(results));
    if (svg !== null) await writePlots(svg, results);
    finish();
  } catch (error) {
    finish(error);
  }
}

main();
