'use strict';

// `npm run bench:ssr`: runs set-up, then passes its arguments to the benchmark of the rendering
// pipeline.

require('./setup/check-node');
const { readOptionsOrExplain } = require('../bench/ssr/options');
const { runBenchmark } = require('./setup/benchmark');

runBenchmark('ssr', readOptionsOrExplain);
