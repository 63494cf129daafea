'use strict';

// The package over the portable host, bundled to dist/portable.js: on Bun and Deno, and in Node as
// uv-scheduler/portable.

require('../loading/supported.js');
const { loadWithoutAddon } = require('../load.js');

module.exports = loadWithoutAddon();
