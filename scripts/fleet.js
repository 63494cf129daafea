'use strict';

// `npm run fleet`: runs set-up, finds or installs Redis, then passes its arguments to the example.

require('./setup/check-node');
const path = require('node:path');
const { ROOT, runMain, runProgram } = require('./setup/process');
const { prepare } = require('./setup');
const redis = require('./setup/redis');

const MAIN = path.join(ROOT, 'examples', 'fleet', 'main.js');

runMain(() => {
  redis.prepare();
  prepare();
  return runProgram(process.execPath, [MAIN, ...process.argv.slice(2)]);
});
