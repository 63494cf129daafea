'use strict';

// `npm start`: runs set-up, then passes its arguments to the main job.

require('./setup/check-node');
const path = require('node:path');
const { ROOT, runMain, runProgram } = require('./setup/process');
const { prepare } = require('./setup');

const MAIN = path.join(ROOT, 'examples', 'docs-site', 'main.js');

runMain(() => {
  prepare();
  return runProgram(process.execPath, [MAIN, ...process.argv.slice(2)]);
});
