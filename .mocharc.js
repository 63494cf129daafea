'use strict';

// How mocha runs the JavaScript tests. scripts/test.js runs these and cargo's.

const path = require('node:path');

// Tests that are run by hand must not see an older build of lib/. The project's own commands have
// made it; they also run mocha where no tool for that exists.
if (!process.env.MOCHA_COUNTS_FILE) {
  require('./scripts/setup').requirePrepared();
  require('./scripts/setup/bundle').build();
}

const inCi = Boolean(process.env.CI);

module.exports = {
  reporter: 'spec',
  require: [path.join(__dirname, 'test', 'helpers', 'separate-files.js')],
  // The tests start other Node processes, on slow machines too.
  timeout: 30_000,
  // A forgotten .only or .skip must not pass as a complete run.
  forbidOnly: inCi,
  forbidPending: inCi,
};
