'use strict';

// `npm run bench [NAME]`: runs set-up, then passes the arguments that follow the name to that
// benchmark, which runs with this Node or with the one that they name. Without a name, it is the
// scheduler beside its peers. The benchmarks are the folders of bench/ with a main.js.

require('./setup/check-node');
const fs = require('node:fs');
const path = require('node:path');
const { prepare } = require('./setup');
const { checkName } = require('./setup/arguments');
const frameworks = require('./setup/frameworks');
const { ROOT, SetupError, runMain, runProgram } = require('./setup/process');
const { chooseNodes } = require('./setup/programs');

const BENCH = path.join(ROOT, 'bench');

const names = () => fs.readdirSync(BENCH)
  .filter((name) => fs.existsSync(path.join(BENCH, name, 'main.js')));

// Measures with each Node that its arguments name, by itself.
async function runPeers(args) {
  const { USAGE, UsageError, readArguments } = require('../bench/arguments');
  let options;
  try {
    options = readArguments(args);
  } catch (error) {
    throw error instanceof UsageError ? new SetupError(error.message) : error;
  }
  const { help, list, node } = options;
  if (help) {
    process.stdout.write(USAGE);
    return 0;
  }
  await prepare({ needAddon: !list, needNodes: node !== undefined });
  return runProgram(process.execPath, [path.join(BENCH, 'main.js'), ...args]);
}

async function run(name, args) {
  checkName('benchmark', name, names());
  const { readOptionsOrExplain } = require(path.join(BENCH, name, 'options'));
  const options = readOptionsOrExplain(args);
  // There is nothing to measure.
  if (options === null) return process.exitCode;
  await prepare({ needNodes: options.node !== null });
  const [node] = chooseNodes(options.node === null ? undefined : String(options.node));
  if (name === 'frameworks') {
    const { examplesOf } = require('../bench/frameworks/list');
    await frameworks.prepare();
    await frameworks.prepareExamples(examplesOf(options.only, node.version), node.path);
  }
  return runProgram(node.path, [path.join(BENCH, name, 'main.js'), ...args]);
}

runMain(() => {
  const [name, ...rest] = process.argv.slice(2);
  const isNamed = name !== undefined && !name.startsWith('-');
  return isNamed ? run(name, rest) : runPeers(process.argv.slice(2));
});
