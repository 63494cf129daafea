'use strict';

// The entry point `uv-scheduler/react` of the sources for browsers. The package loads dist/react-
// browser.js, which is made of this (see scripts/setup/bundle.js).

module.exports = require('./lib/react/browser.js');
