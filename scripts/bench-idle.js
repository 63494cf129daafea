'use strict';

// `npm run bench:idle`: runs set-up, then passes its arguments to the benchmark of background work
// under a CPU quota.

require('./setup/check-node');
const { readOptionsOrExplain } = require('../bench/idle/options');
const { runBenchmark } = require('./setup/benchmark');

runBenchmark('idle', readOptionsOrExplain);
