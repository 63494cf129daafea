'use strict';

// How mocha runs the JavaScript tests. scripts/test.js runs these and cargo's.

const inCi = Boolean(process.env.CI);

module.exports = {
  reporter: 'spec',
  // The tests start other Node processes, on slow machines too.
  timeout: 30_000,
  // A forgotten .only or .skip must not pass as a complete run.
  forbidOnly: inCi,
  forbidPending: inCi,
};
