'use strict';

// Tasks that misbehave: that throw, never settle, or change what waits while they run. The
// programs, whose names are the guarantees, are in fixtures/scenarios/.

const { testScenarios } = require('./helpers-loop.js');

describe('tasks that misbehave', () => {
  testScenarios('exceptions');
});
