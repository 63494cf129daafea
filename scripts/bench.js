'use strict';

// `npm run bench`: runs set-up, then passes its arguments to the benchmark of tasks.

require('./setup/check-node');
const { readOptionsOrExplain } = require('../bench/tasks/options');
const { runBenchmark } = require('./setup/benchmark');

runBenchmark('tasks', readOptionsOrExplain);
