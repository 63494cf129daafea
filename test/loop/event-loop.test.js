'use strict';

// The event loop contract, row by row, on the real loop of every supported Node version. The
// programs are in fixtures/scenarios/, named by the guarantees. random-programs.test.js tests the
// order of tasks among themselves.
// @lane slow
// @host programs each-node

const { testScenarios } = require('../helpers/loop.js');

describe('the event loop', () => testScenarios('event-loop'));

describe('the time slice', () => testScenarios('floods'));
