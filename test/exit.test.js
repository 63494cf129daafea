'use strict';

// What keeps a process alive, how it ends, and what it costs while it waits. The programs, whose
// names are the guarantees, are in fixtures/scenarios/.

const { testScenarios } = require('./helpers-loop.js');

describe('the end of a process', () => {
  testScenarios('exit');
});

describe('a process that waits', () => {
  testScenarios('idle');
});
