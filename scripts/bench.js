'use strict';

// `npm run bench`: set-up, then the benchmark with the arguments as given. It does not know what is
// measured; it reads the arguments for what has to be set up alone.

require('./setup/check-node');
const { spawn } = require('node:child_process');
const os = require('node:os');
const path = require('node:path');
const { ROOT, SetupError, runMain } = require('./setup/process');
const { prepare } = require('./setup');
const { UsageError, readArguments } = require('../bench/arguments');

const MAIN = path.join(ROOT, 'bench', 'main.js');

function readOptions(args) {
  try {
    return readArguments(args);
  } catch (error) {
    throw error instanceof UsageError ? new SetupError(error.message) : error;
  }
}

function runBench(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [MAIN, ...args], { stdio: 'inherit' });
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
  const { help, list, node } = readOptions(args);
  if (!help && !list) prepare({ needNodes: node !== undefined });
  return runBench(args);
});
