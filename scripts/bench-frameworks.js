'use strict';

// `npm run bench:frameworks`: runs set-up, then passes its arguments to the benchmark of one page
// in each framework.

require('./setup/check-node');
const { examplesOf } = require('../bench/frameworks/list');
const { readOptionsOrExplain } = require('../bench/frameworks/options');
const { runBenchmark } = require('./setup/benchmark');
const frameworks = require('./setup/frameworks');

runBenchmark('frameworks', readOptionsOrExplain, ({ only }, node) => {
  frameworks.prepare();
  frameworks.prepareExamples(examplesOf(only, node.version), node.path);
});
