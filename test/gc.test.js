'use strict';

// What can be collected and what must not be, and large numbers of tasks and signals. The programs,
// whose names are the guarantees, are in fixtures/scenarios/.

const { testScenarios } = require('./helpers-loop.js');

describe('memory', () => {
  testScenarios('gc');
});
