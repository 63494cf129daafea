'use strict';

// What can be collected, what must not be, and large numbers of tasks and signals. The programs are
// in fixtures/scenarios/, named by the guarantees.

const { testScenarios } = require('../helpers/loop.js');

describe('memory', () => {
  testScenarios('gc');
  testScenarios('large-numbers');
});
