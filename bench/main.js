'use strict';

// Runs the benchmark: reads the arguments, measures case after case, and prints the results.
// rounds.js decides how contenders are compared, and cases/ defines what is measured.

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { createProgress } = require('../examples/docs-site/progress.js');
const { USAGE, UsageError, readArguments } = require('./arguments.js');
const { endAll } = require('./case-process.js');
const { allCases } = require('./cases/index.js');
const { compileFloor } = require('./floor/compile.js');
const { runWithNodes } = require('./nodes.js');
const { runCase } = require('./rounds.js');
const { table } = require('./table.js');

function say(text) {
  process.stderr.write(`bench: ${text}\n`);
}

function chosenCases({ only, quick }) {
  const all = allCases({ quick });
  const chosen = all.filter(({ name }) => only.test(name));
  if (chosen.length > 0) return chosen;
  const names = all.map(({ name }) => name).join(' ');
  throw new UsageError(`--only ${only.source} matches none of the cases ${names}`);
}

async function measureAll(cases, { rounds, quick }, floor) {
  const progress = createProgress(cases.length);
  const results = [];
  for (const one of cases) {
    progress.step(one.title);
    results.push(await runCase(one, { rounds, quick, floor }));
  }
  progress.end();
  return {
    node: process.versions.node,
    platform: `${process.platform}-${process.arch}`,
    cpu: os.cpus()[0]?.model.trim() ?? 'unknown processor',
    rounds,
    cases: results,
  };
}

// A broken contender makes the run fail after the results of the others are printed.
function sayErrors({ cases }) {
  const failed = cases.flatMap(({ name, rows }) => {
    return rows.filter(({ error }) => error !== null).map((row) => ({ name, ...row }));
  });
  for (const { name, row, error } of failed) say(`${name}: ${row} FAILED: ${error}`);
  return failed.length;
}

async function bench(options) {
  const cases = chosenCases(options);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'uv-scheduler-bench-'));
  const cleanUp = () => {
    endAll();
    fs.rmSync(folder, { recursive: true, force: true });
  };
  process.on('exit', cleanUp);
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.on(signal, () => process.exit(128 + os.constants.signals[signal]));
  }
  const report = await measureAll(cases, options, compileFloor(folder, say));
  process.stdout.write(options.json ? `${JSON.stringify([report], null, 2)}\n` : table(report));
  return sayErrors(report) === 0 ? 0 : 1;
}

async function main() {
  const options = readArguments(process.argv.slice(2));
  if (options.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  if (options.list) {
    for (const { name, title } of allCases(options)) process.stdout.write(`${name}: ${title}\n`);
    return 0;
  }
  return options.node === undefined ? bench(options) : runWithNodes(options);
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error) => {
    const isUsage = error instanceof UsageError;
    say(isUsage ? error.message : error.stack);
    process.exitCode = isUsage ? 2 : 1;
  },
);
