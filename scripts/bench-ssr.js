'use strict';

// `npm run bench:ssr`: set-up, then the benchmark of the rendering pipeline with the arguments as
// given, with this Node or with the one they name. It does not know what is measured.

require('./setup/check-node');
const { spawn } = require('node:child_process');
const os = require('node:os');
const path = require('node:path');
const { readOptionsOrExplain } = require('../bench/ssr/options');
const { ROOT, SetupError, runMain } = require('./setup/process');
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

function runBenchmark(node, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(node, [MAIN, ...args], { stdio: 'inherit' });
    // The benchmark decides when to stop. A terminal sends Ctrl-C to both processes, so only the
    // signal that is sent to this process alone is passed on.
    process.on('SIGINT', () => {});
    process.on('SIGTERM', () => child.kill('SIGTERM'));
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      resolve(signal ? 128 + os.constants.signals[signal] : code);
    });
  });
}

runMain(() => {
  const args = process.argv.slice(2);
  const options = readOptionsOrExplain(args);
  if (options === null) return process.exitCode;
  prepare({ needNodes: options.node !== null });
  return runBenchmark(nodeOf(options.node), args);
});
