'use strict';

// `npm run bench:overload`: runs set-up, then passes its arguments to the benchmark of servers with
// more visitors than they can serve.

require('./setup/check-node');
const { readOptionsOrExplain } = require('../bench/overload/options');
const { runBenchmark } = require('./setup/benchmark');

runBenchmark('overload', readOptionsOrExplain);
