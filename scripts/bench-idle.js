'use strict';

// `npm run bench:idle`: runs set-up, then passes its arguments to the benchmark of background work
// under a CPU quota, which runs with this Node or with the one that the arguments name.

require('./setup/check-node');
const path = require('node:path');
const { readOptionsOrExplain } = require('../bench/idle/options');
const { ROOT, SetupError, runMain, runProgram } = require('./setup/process');
const { prepare } = require('./setup');

const MAIN = path.join(ROOT, 'bench', 'idle', 'main.js');

function nodeOf(major) {
  if (major === null) return process.execPath;
  // Set-up must install them first.
  const nodes = require('../test/nodes');
  const found = nodes.find((node) => node.major === major);
  if (found) return found.path;
  const majors = nodes.map((node) => node.major).join(', ');
  throw new SetupError(`--node must be one of ${majors}, not ${major}`);
}

runMain(() => {
  const args = process.argv.slice(2);
  const options = readOptionsOrExplain(args);
  if (options === null) return process.exitCode;
  prepare({ needNodes: options.node !== null });
  return runProgram(nodeOf(options.node), [MAIN, ...args]);
});
