'use strict';

// Runs the fleet: a Redis, two servers that take jobs in their idle time, and visitors who load one
// heavily and the other lightly. fleet.js starts and measures them, and report.js prints the table.

const path = require('node:path');
const { parseArgs } = require('node:util');

const { createChildren } = require('../../bench/harness/children');
const { createProgress } = require('../../bench/harness/progress');
const { Fleet } = require('./fleet');
const { writePlot } = require('./plot');
const { printReport } = require('./report');

const USAGE = `usage: npm start fleet -- [--seconds N] [--json] [--plot FILE]

  --seconds N   measure each phase for N seconds (default: 5)
  --json        print the results as JSON
  --plot FILE   where the picture goes (default: target/fleet.svg)
  --help        print this
`;

const RUNS = 3;
const { startChild, finish } = createChildren('fleet');

function readArguments(argv) {
  const string = { type: 'string' };
  const boolean = { type: 'boolean' };
  const { values } = parseArgs({
    args: argv,
    options: { seconds: string, plot: string, json: boolean, help: boolean },
  });
  const seconds = Number(values.seconds ?? 5);
  if (!(seconds >= 1 && seconds <= 600)) {
    throw new TypeError(`--seconds must be a number from 1 to 600, not '${values.seconds}'`);
  }
  const plot = path.resolve(values.plot ?? path.join(__dirname, '../../target/fleet.svg'));
  return { ...values, seconds, plot };
}

async function run({ seconds, json, plot }) {
  const progress = createProgress(4 + 2 * RUNS);
  const fleet = new Fleet(startChild);
  try {
    progress.step('starting Redis and the servers');
    await fleet.start();
    progress.step('fetching every page');
    await fleet.warmUp(seconds);
    for (let i = 1; i <= RUNS; i++) {
      progress.step(`run ${i} of ${RUNS}: visitors, no jobs`);
      await fleet.measure({ seconds, seed: i, withJobs: false });
      progress.step(`run ${i} of ${RUNS}: visitors and jobs`);
      await fleet.measure({ seconds, seed: i, withJobs: true });
    }
    progress.step('jobs alone, on one server');
    await fleet.measureAlone(seconds);
    progress.step('the load moves to the other server');
    await fleet.moveLoad(seconds);
    progress.end();
    const results = await fleet.finish();
    await writePlot(plot, results.timeline);
    if (json) process.stdout.write(`${JSON.stringify(results, null, 2)}\n`);
    else printReport({ ...results, plot });
  } finally {
    await fleet.redis.remove();
  }
}

function main() {
  let options;
  try {
    options = readArguments(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`fleet: ${error.message}\n${USAGE}`);
    process.exitCode = 2;
    return;
  }
  if (options.help) {
    process.stdout.write(USAGE);
    return;
  }
  process.on('SIGINT', () => finish(new Error('interrupted'), 130));
  process.on('SIGTERM', () => finish(new Error('terminated'), 143));
  run(options).then(() => finish(), finish);
}

main();
