'use strict';

// jest as its users have it, with nothing compiled, in both of its environments.

const { projects } = require('./projects.js');

module.exports = projects('jest-environment-jsdom', {
  displayName: 'node',
  testMatch: ['**/*.jest.js'],
  testEnvironment: require.resolve('./environment.js'),
});
