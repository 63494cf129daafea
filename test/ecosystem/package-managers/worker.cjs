'use strict';

// Runs program.cjs in a worker.

const { Worker } = require('node:worker_threads');

new Worker(require.resolve('./program.cjs'));
