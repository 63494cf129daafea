'use strict';

// The entry point `uv-scheduler/prometheus` of the sources. The package loads dist/prometheus.js,
// which is made of this (see scripts/setup/bundle.js).

module.exports = require('./lib/prometheus.js');
