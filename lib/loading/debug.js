'use strict';

// The debug log of the package, which `NODE_DEBUG=uv-scheduler` writes to standard error.

const { debuglog } = require('node:util');

// debug(text, ...args) writes a line, formatted as by util.format().
const debug = debuglog('uv-scheduler');

// Bun's debuglog() does not say whether it writes.
const isDebugging = debug.enabled ?? /\buv-scheduler\b/i.test(process.env.NODE_DEBUG);

module.exports = { debug, isDebugging };
