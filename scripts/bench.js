'use strict';

// `npm run bench [NAME]`: runs set-up, then passes the arguments that follow the name to that
// benchmark, which runs with this Node or with those that they name. The benchmarks are the folders
// of bench/ with an index.js; without a name it is that of tasks, beside the scheduler's peers.

require('./setup/check-node');
const fs = require('node:fs');
const path = require('node:path');
const { prepare } = require('./setup');
const examples = require('./setup/examples');
const { ROOT, checkName, runMain, runProgram, say } = require('./setup/process');
const { chooseNodes } = require('./setup/programs');

const BENCH = path.join(ROOT, 'bench');
const HARNESS = path.join(BENCH, 'harness', 'benchmark.js');

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
  checkName('benchmark', name, names());
  await prepare({ needNodes: args.some((argument) => argument.startsWith('--node')) });
  const options = require(HARNESS).readOptions(name, args);
  // There is nothing to measure.
  if (options === null) return process.exitCode;
  let result = 0;
  for (const node of chooseNodes(options.node === null ? undefined : String(options.node))) {
    say(`bench ${name} with Node ${node.version}`);
    if (name === 'frameworks') await prepareFrameworks(options, node);
    if (name === 'shop') await examples.prepare('shop');
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

runMain((args) => {
  if (args.join() === '--portable') return runPortable();
  const [name, ...rest] = args;
  const isNamed = name !== undefined && !name.startsWith('-');
  return isNamed ? run(name, rest) : run('tasks', args);
});
