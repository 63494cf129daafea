'use strict';

// The exports of `uv-scheduler/testing`: the scheduler of a test, on a clock that the test moves,
// and the rules that the scheduler of this process keeps.

const { internal } = require('./package.js');
const { createTestScheduler } = require('./test-scheduler.js');
const { seeds } = require('./seeds.js');

module.exports = { createTestScheduler, seeds, guarantees: internal.guarantees };
