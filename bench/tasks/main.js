'use strict';

// Runs the benchmark: measures case after case. rounds.js decides how contenders are compared, and
// cases/ defines what is measured.

const os = require('node:os');

const { runBenchmark } = require('../run');

const { endAll } = require('./case-process.js');
const { allCases } = require('./cases/index.js');
const { readOptionsOrExplain } = require('./options.js');
const { runCase } = require('./rounds.js');
const { table } = require('./table.js');

const say = (text) => process.stderr.write(`bench: ${text}\n`);

function chosenCases({ only, quick, list }) {
  const all = allCases({ quick });
  const chosen = all.filter(({ name }) => only.test(name));
  if (chosen.length > 0 || list) return chosen;
  const names = all.map(({ name }) => name).join(' ');
  throw new Error(`--only ${only.source} matches none of the cases ${names}`);
}

async function measure(options, { createProgress }) {
  process.on('exit', endAll);
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit());
  const cases = chosenCases(options);
  if (options.list) return { cases };
  const progress = createProgress(cases.length);
  const results = [];
  for (const one of cases) {
    progress.step(one.title);
    results.push(await runCase(one, options));
  }
  progress.end();
  return {
    platform: `${process.platform}-${process.arch}`,
    cpu: os.cpus()[0]?.model.trim() ?? 'unknown processor',
    cases: results,
  };
}

// A broken contender makes the run fail after the results of the others are printed.
function sayErrors(cases) {
  const failed = cases.flatMap(({ name, rows }) =>
    rows.filter(({ error }) => error !== null).map((row) => ({ name, ...row })));
  for (const { name, row, error } of failed) say(`${name}: ${row} FAILED: ${error}`);
  if (failed.length > 0) process.exitCode = 1;
}

function print(results) {
  const { options, cases } = results;
  if (options.list) {
    for (const { name, title } of cases) process.stdout.write(`${name}: ${title}\n`);
    return;
  }
  process.stdout.write(table(results));
  sayErrors(cases);
}

runBenchmark({ command: 'bench', readOptions: readOptionsOrExplain, measure, print });
