'use strict';

// `npm run bench:ssr`: set-up, then the benchmark of the rendering pipeline with the arguments as
// given, with this Node or with the one they name. It does not know what is measured.

require('./setup/check-node');
const path = require('node:path');
const { readOptionsOrExplain } = require('../bench/ssr/options');
const { ROOT, SetupError, runMain, runProgram } = require('./setup/process');
const { prepare } = require('./setup');

const MAIN = path.join(ROOT, 'bench', 'ssr', 'main.js');

function nodeOf(major) {
  if (major === null) return process.execPath;
  // Not before set-up has installed them.
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
  return runProgram(nodeOf(options.node), MAIN, args);
});
