'use strict';

// The exports of `uv-scheduler/testing`: the scheduler of a test, on a clock that the test moves.

const { createTestScheduler } = require('./test-scheduler.js');
const { seeds } = require('./seeds.js');

module.exports = { createTestScheduler, seeds };
