'use strict';

// The entry point `uv-scheduler/http` of the sources. The package loads dist/http.js, which is made
// of this (see scripts/setup/bundle.js).

module.exports = require('./lib/http.js');
