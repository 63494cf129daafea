'use strict';

// Code of other realms that uses the package. The programs, whose names are the guarantees, are in
// fixtures/scenarios/. Copies of the package in contexts of their own are copies.test.js's matter.

const { testScenarios } = require('./helpers-loop.js');

describe('code in a context', () => {
  testScenarios('contexts');
});
