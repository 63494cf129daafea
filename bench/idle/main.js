'use strict';

// Runs the benchmark: background work beside requests in a control group with a CPU quota, and on a
// processor that has other work. parts.js defines the measurements, goals.js judges them.

const { runBenchmark } = require('../run');
const { available } = require('../../test/helpers/control-group');

const { QUEUED } = require('./contenders');
const { judge } = require('./goals');
const { NO_JOBS, createJobs } = require('./jobs');
const { readOptionsOrExplain } = require('./options');
const { createPlan, measureCell } = require('./parts');
const { writePlot } = require('./plot');
const { print } = require('./report');
const { summarize } = require('./statistics');
const { createTeams } = require('./teams');

const needsJobs = ({ contenders }) => QUEUED.some((name) => contenders.includes(name));

/** Returns the options, without the workers where they have no Redis. */
function withoutMissing(options, jobs) {
  if (jobs !== null || !needsJobs(options)) return options;
  process.stderr.write(`${QUEUED.join(' and ')} need redis-server, which is not there: they are `
    + 'left out\n');
  return { ...options, contenders: options.contenders.filter((name) => !QUEUED.includes(name)) };
}

async function measureAll(options, { teams, jobs }, createProgress) {
  const control = await available();
  process.stderr.write(`${control}\n`);
  await teams.calibrate();
  const cost = await teams.costOfRequest();
  const plan = createPlan(options);
  const rows = plan.reduce((sum, cell) => sum + cell.rows.length, 0);
  const progress = createProgress(rows * options.rounds);
  for (const cell of plan) {
    await measureCell(cell, { teams, options, cost, jobs }, (round, name) =>
      progress.step(`${cell.title}, round ${round + 1} of ${options.rounds}: ${name}`));
  }
  progress.end();
  const cells = plan.map(summarize);
  const { pinned, sizes } = teams;
  return { control, pinned, options, sizes, cost, cells, goals: judge(cells) };
}

async function measure(asked, { startChild, createProgress }) {
  const teams = createTeams({ startChild });
  let jobs = null;
  try {
    if (needsJobs(asked)) jobs = await createJobs();
    const options = withoutMissing(asked, jobs);
    return await measureAll(options, { teams, jobs: jobs ?? NO_JOBS }, createProgress);
  } finally {
    await teams.removeGroups();
    await jobs?.end();
  }
}

runBenchmark({
  command: 'bench idle', readOptions: readOptionsOrExplain, measure, print,
  outputs: { svg: writePlot },
});
