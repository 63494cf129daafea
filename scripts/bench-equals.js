'use strict';

// `npm run bench:equals`: runs set-up, then passes its arguments to the benchmark of pages that
// have one priority.

require('./setup/check-node');
const { readOptionsOrExplain } = require('../bench/equals/options');
const { runBenchmark } = require('./setup/benchmark');

runBenchmark('equals', readOptionsOrExplain);
