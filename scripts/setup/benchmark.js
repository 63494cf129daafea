'use strict';

// Runs set-up, then passes the arguments to a benchmark in a folder of bench/, which runs with this
// Node or with the one that the arguments name.

const path = require('node:path');
const { ROOT, SetupError, runMain, runProgram } = require('./process');
const { prepare } = require('./index');

function nodeOf(major) {
  if (major === null) return { path: process.execPath, version: process.versions.node };
  // Set-up must install them first.
  const nodes = require('../../test/nodes');
  const found = nodes.find((node) => node.major === major);
  if (found) return found;
  const majors = nodes.map((node) => node.major).join(', ');
  throw new SetupError(`--node must be one of ${majors}, not ${major}`);
}

// `readOptionsOrExplain(args)` returns the options, or null if there is nothing to measure;
// `install(options, node)` installs what only this benchmark needs, for a Node { path, version }.
function runBenchmark(name, readOptionsOrExplain, install = () => {}) {
  runMain(() => {
    const args = process.argv.slice(2);
    const options = readOptionsOrExplain(args);
    if (options === null) return process.exitCode;
    prepare({ needNodes: options.node !== null });
    const node = nodeOf(options.node);
    install(options, node);
    return runProgram(node.path, [path.join(ROOT, 'bench', name, 'main.js'), ...args]);
  });
}

module.exports = { runBenchmark };
