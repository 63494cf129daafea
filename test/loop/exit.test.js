'use strict';

// What keeps a process alive, how it ends, and what waiting costs. The programs are in
// fixtures/scenarios/, named by the guarantees.

const { testScenarios } = require('../helpers/loop.js');

describe('the end of a process', () => {
  testScenarios('exit');
});

describe('a waiting process', () => {
  testScenarios('idle');
});
