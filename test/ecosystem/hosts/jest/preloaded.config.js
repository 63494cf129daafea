'use strict';

// jest in a process that has preloaded register.

module.exports = {
  rootDir: __dirname,
  testMatch: ['**/preloaded-suite.js'],
  transform: {},
  watchman: false,
};
