'use strict';

// `npm run bench [NAME]`: runs set-up, then passes the arguments that follow the name to that
// benchmark, which runs with this Node or with those that they name. The benchmarks are the folders
// of bench/ with an index.js; without a name it is that of tasks, beside the scheduler's peers.
// `npm run bench compare` measures nothing: it compares results, and keeps those of releases.

require('./setup/check-node');
const fs = require('node:fs');
const path = require('node:path');
const { prepare } = require('./setup');
const examples = require('./setup/examples');
const {
  ROOT, SetupError, checkName, readArguments, runMain, runProgram, say, usageError,
} = require('./setup/process');
const { readJson } = require('./setup/npm');
const { chooseNodes } = require('./setup/programs');

const BENCH = path.join(ROOT, 'bench');
const HARNESS = path.join(BENCH, 'harness', 'benchmark.js');

const COMPARE = 'compare';
const USAGE = `npm run bench ${COMPARE} -- A B, or -- --add FILE…
  A, B        a version in bench/results/releases.json, or a file that --json has written
  --add FILE  enters the results that --json has written into bench/results/releases.json`;

const names = () => fs.readdirSync(BENCH)
  .filter((name) => fs.existsSync(path.join(BENCH, name, 'index.js')));

// Installs what only one benchmark needs.
async function prepareFrameworks({ only }, node) {
  const { examplesOf } = require('../bench/frameworks/list');
  await examples.prepareFrameworks();
  for (const name of examplesOf(only, node.version)) {
    await examples.prepare(name);
    examples.build(name, node.path);
  }
}

async function run(name, args) {
  checkName('benchmark', name, [...names(), COMPARE]);
  await prepare({ needNodes: args.some((argument) => argument.startsWith('--node')) });
  const options = require(HARNESS).readOptions(name, args);
  // There is nothing to measure.
  if (options === null) return process.exitCode;
  let result = 0;
  for (const node of chooseNodes(options.node === null ? undefined : String(options.node))) {
    say(`bench ${name} with Node ${node.version}`);
    if (name === 'frameworks') await prepareFrameworks(options, node);
    if (['agents', 'shop'].includes(name)) await examples.prepare(name);
    // It has the pool.
    if (name === 'papers') await examples.prepare('worker-pool');
    if (name === 'json') await examples.prepareParsers();
    const code = await runProgram(node.path, [HARNESS, name, ...args]);
    // The other runs go on after a failure unless the run was interrupted.
    if (code !== 0) result = code;
    if (code > 128) break;
  }
  return result;
}

async function runPortable() {
  await prepare({ needRuntimes: true });
  return require('../bench/tasks/portable').main();
}

function readResult(file) {
  const result = readJson(file);
  if (result?.benchmark === undefined) {
    throw new SetupError(`${file} is no file that a benchmark's --json has written`);
  }
  return result;
}

// Compares the results of two releases or files; or enters those of files as those of releases.
async function runCompare(args) {
  const { add, names: given } = readArguments(args, USAGE, { add: { type: 'boolean' } }, true);
  if (add ? given.length === 0 : given.length !== 2) {
    throw usageError(add ? 'No file is named' : 'Two results are compared', USAGE);
  }
  await prepare({ needAddon: false });
  const releases = require('../bench/harness/releases');
  const { terminalTables } = require('../bench/harness/report');
  const known = releases.readReleases();
  if (add) {
    releases.writeReleases(given.map(readResult).reduce(releases.withResult, known));
    return 0;
  }
  const resultsOf = (name) => {
    const found = known.filter(({ version }) => version === name);
    return found.length > 0 ? found : [readResult(name)];
  };
  const pairs = releases.pairsOf(...given.map(resultsOf));
  if (pairs.length === 0) throw new SetupError('They have no benchmark and Node in common.');
  for (const [one, other] of pairs) {
    const { columns } = require(HARNESS).find(one.benchmark);
    const cells = releases.compare(one, other, columns);
    const tables = terminalTables(cells, releases.comparedColumns);
    process.stdout.write(`${releases.introduce(one, other)}\n${tables}\n`);
  }
  return 0;
}

runMain((args) => {
  if (args.join() === '--portable') return runPortable();
  const [name, ...rest] = args;
  if (name === COMPARE) return runCompare(rest);
  const isNamed = name !== undefined && !name.startsWith('-');
  return isNamed ? run(name, rest) : run('tasks', args);
});
