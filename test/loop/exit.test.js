'use strict';

// The life of a process: the work that keeps it alive, its end, and the cost of waiting. The
// programs are in fixtures/scenarios/, named by the guarantees.
// @lane waiting
// @host programs each-node runtimes

const { testScenarios } = require('../helpers/loop.js');

describe('the end of a process', () => testScenarios('exit'));

describe('a waiting process @loop-figures', () => testScenarios('idle'));
