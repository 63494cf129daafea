'use strict';

// Test runners inside Node. They come from the dependencies in this folder.

const { finder } = require('../../helpers/installed.js');

const find = finder('hosts');

module.exports = {
  jest: find('jest', 'jest', 'bin', 'jest.js'),
  jest29: find('jest 29', 'jest29', 'bin', 'jest.js'),
  vitest: find('vitest', 'vitest', 'vitest.mjs'),
};
