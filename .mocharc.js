'use strict';

// How mocha finds and runs the JavaScript tests. It does not know cargo's: scripts/test.js runs
// both.

const inCi = Boolean(process.env.CI);

module.exports = {
  reporter: 'spec',
  // The tests start other Node processes, on slow machines too.
  timeout: 30_000,
  // A forgotten .only or .skip must not pass for a whole run.
  forbidOnly: inCi,
  forbidPending: inCi,
};
