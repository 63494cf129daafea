'use strict';

// jest with its default settings and without a compiler, in both of its environments.

const { projects } = require('./projects.js');

module.exports = projects('jest-environment-jsdom', 'jest-environment-node', {
  testMatch: ['**/*.jest.js'],
  testEnvironment: require.resolve('./environment.js'),
});
