'use strict';

// The entry point `uv-scheduler/opentelemetry` of the sources. The package loads
// dist/opentelemetry.js, which is made of this (see scripts/setup/bundle.js).

module.exports = require('./lib/opentelemetry.js');
