'use strict';

// Runs set-up, then passes the arguments to a benchmark in a folder of bench/, which runs with this
// Node or with those that the arguments name.

const path = require('node:path');
const { ROOT, SetupError, runMain, runProgram, say } = require('./process');
const { prepare } = require('./index');

function nodesOf(node) {
  if (node === null) return [{ path: process.execPath, version: process.versions.node }];
  // Set-up must install them first.
  const nodes = require('../../test/nodes');
  if (node === 'all') return nodes;
  const found = nodes.filter(({ major }) => major === node);
  if (found.length > 0) return found;
  const majors = nodes.map(({ major }) => major).join(', ');
  throw new SetupError(`--node must be one of ${majors} or 'all', not ${node}`);
}

// `readOptionsOrExplain(args)` returns the options, or null if there is nothing to measure;
// `install(options, node)` installs what only this benchmark needs, for a Node { path, version }.
function runBenchmark(name, readOptionsOrExplain, install = () => {}) {
  runMain(async () => {
    const args = process.argv.slice(2);
    const options = readOptionsOrExplain(args);
    if (options === null) return process.exitCode;
    prepare({ needNodes: options.node !== null });
    let result = 0;
    for (const node of nodesOf(options.node)) {
      say(`bench: with Node ${node.version}`);
      install(options, node);
      const code = await runProgram(
        node.path, [path.join(ROOT, 'bench', name, 'main.js'), ...args]);
      // The other runs go on after a failure unless the run was interrupted.
      if (code !== 0) result = code;
      if (code > 128) break;
    }
    return result;
  });
}

module.exports = { runBenchmark };
