'use strict';

// jest as its users have it, with nothing compiled.

const path = require('node:path');

module.exports = {
  rootDir: __dirname,
  testMatch: ['**/*.jest.js'],
  testEnvironment: path.join(__dirname, 'environment.js'),
  testTimeout: 60_000,
  transform: {},
  watchman: false,
};
