'use strict';

// The entry point `uv-scheduler/bullmq` of the sources, bundled to dist/bullmq.js (see
// scripts/setup/bundle.js).

module.exports = require('./idle-worker.js');
