'use strict';

// The entry point `uv-scheduler/react` of the sources. The package loads dist/react.js, which is
// made of this (see scripts/setup/bundle.js).

module.exports = require('./lib/react/node.js');
