'use strict';

// The package on Bun and Deno, bundled to dist/portable.js.

require('../loading/supported.js');
const { loadWithoutAddon } = require('../load.js');

module.exports = loadWithoutAddon();
