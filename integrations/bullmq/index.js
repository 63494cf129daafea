'use strict';

// The entry point `uv-scheduler/bullmq` of the sources. The package loads dist/bullmq.js, which is
// made of this (see scripts/setup/bundle.js).

module.exports = require('./idle-worker.js');
