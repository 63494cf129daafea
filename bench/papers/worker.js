'use strict';

// The function that the thread of the pool runs: the work of a request, which takes `ms`.

const { spin } = require('../harness/spin');

module.exports = (ms) => spin(ms);
