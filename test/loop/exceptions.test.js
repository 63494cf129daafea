'use strict';

// Tasks that throw, never settle, or change waiting tasks while they run. The programs are in
// fixtures/scenarios/, named by the guarantees.

const { testScenarios } = require('../helpers/loop.js');

describe('tasks that misbehave', () => {
  testScenarios('exceptions');
});
