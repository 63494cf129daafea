'use strict';

// Code of other realms that uses the package. The programs are in fixtures/scenarios/, named by the
// guarantees. copies.test.js loads the package into several contexts.
// @host programs each-node

const { testScenarios } = require('../helpers/loop.js');

describe('code in a context', () => testScenarios('contexts'));
