'use strict';

// `npm start`: set-up, then the main job with the arguments as given. It does not know what the
// main job does.

require('./setup/check-node');
const path = require('node:path');
const { ROOT, runMain, runProgram } = require('./setup/process');
const { prepare } = require('./setup');

const MAIN = path.join(ROOT, 'examples', 'docs-site', 'main.js');

runMain(() => {
  prepare();
  return runProgram(process.execPath, MAIN, process.argv.slice(2));
});
