'use strict';

// The entry point `uv-scheduler/react` of the sources for React Server Components. The package
// loads dist/react-server.js, which is made of this (see scripts/setup/bundle.js).

module.exports = require('./lib/react/react-server.js');
