'use strict';

// `npm run bench`: runs set-up, then passes its arguments to the benchmark. It reads them only to
// find out what has to be set up.

require('./setup/check-node');
const path = require('node:path');
const { ROOT, SetupError, runMain, runProgram } = require('./setup/process');
const { prepare } = require('./setup');
const { USAGE, UsageError, readArguments } = require('../bench/arguments');

const MAIN = path.join(ROOT, 'bench', 'main.js');

function readOptions(args) {
  try {
    return readArguments(args);
  } catch (error) {
    throw error instanceof UsageError ? new SetupError(error.message) : error;
  }
}

runMain(() => {
  const args = process.argv.slice(2);
  const { help, list, node } = readOptions(args);
  if (help) {
    process.stdout.write(USAGE);
    return 0;
  }
  prepare({ needAddon: !list, needNodes: node !== undefined });
  return runProgram(process.execPath, [MAIN, ...args]);
});
