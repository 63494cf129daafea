'use strict';

// Lines on standard error with NODE_DEBUG=uv-scheduler. The arguments are those of util.format().

const { debuglog } = require('node:util');

const debug = debuglog('uv-scheduler');

module.exports = { debug };
