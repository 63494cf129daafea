'use strict';

// jest 29, which many projects still use, in both of its environments.

const path = require('node:path');
const { projects } = require('./projects.js');

const jest = path.dirname(require.resolve('jest29/package.json'));

module.exports = projects(
  'jsdom-environment29',
  require.resolve('jest-environment-node', { paths: [jest] }),
);
