'use strict';

// Runs the benchmark: background work beside requests in a control group with a CPU quota, and on a
// processor that has other work. parts.js defines the measurements, goals.js judges them.

const fs = require('node:fs');

const { createChildren } = require('../../examples/docs-site/children');
const { createProgress } = require('../../examples/docs-site/progress');
const { available } = require('../../test/helpers/control-group');

const { QUEUED } = require('./contenders');
const { judge } = require('./goals');
const { NO_JOBS, createJobs } = require('./jobs');
const { readOptionsOrExplain } = require('./options');
const { createPlan, measureCell } = require('./parts');
const { writePlot } = require('./plot');
const { printReport } = require('./report');
const { summarize } = require('./statistics');
const { createTeams } = require('./teams');

const { startChild, finish } = createChildren('bench:idle');

const needsJobs = ({ contenders }) => QUEUED.some((name) => contenders.includes(name));

/** Returns the options, without the workers where they have no Redis and were not asked for. */
function withoutMissing(options, jobs) {
  if (jobs !== null || !needsJobs(options)) return options;
  const missing = `${QUEUED.join(' and ')} need redis-server, which is not there`;
  if (options.chosen) throw new Error(missing);
  process.stderr.write(`${missing}: they are left out\n`);
  return { ...options, contenders: options.contenders.filter((name) => !QUEUED.includes(name)) };
}

async function measureAll(asked, teams, jobs) {
  const options = withoutMissing(asked, jobs);
  const control = await available();
  process.stderr.write(`${control}\n`);
  await teams.calibrate();
  const cost = await teams.costOfRequest();
  const context = { teams, options, cost, jobs: jobs ?? NO_JOBS };
  const plan = createPlan(options);
  const rows = plan.reduce((sum, cell) => sum + cell.rows.length, 0);
  const progress = createProgress(rows * options.rounds);
  for (const cell of plan) {
    await measureCell(cell, context, (round, name) =>
      progress.step(`${cell.title}, round ${round + 1} of ${options.rounds}: ${name}`));
  }
  progress.end();
  const cells = plan.map(summarize);
  return {
    node: process.version, control, pinned: teams.processors.one !== null,
    options, sizes: teams.sizes, cost, cells, goals: judge(cells),
  };
}

async function main() {
  const options = readOptionsOrExplain(process.argv.slice(2));
  if (options === null) return;
  process.on('SIGINT', () => finish(new Error('interrupted'), 130));
  process.on('SIGTERM', () => finish(new Error('terminated'), 143));
  const teams = createTeams({ startChild });
  let jobs = null;
  try {
    // Fails now, rather than after minutes of measuring, if the results cannot be written.
    for (const file of [options.json, options.svg]) if (file !== null) fs.writeFileSync(file, '');
    if (needsJobs(options)) jobs = await createJobs();
    const results = await measureAll(options, teams, jobs);
    printReport(results);
    if (options.json !== null) {
      fs.writeFileSync(options.json, `${JSON.stringify(results, null, 2)}\n`);
    }
    if (options.svg !== null) await writePlot(options.svg, results);
    finish();
  } catch (error) {
    finish(error);
  }
  await teams.removeGroups();
  await jobs?.end();
}

main();
