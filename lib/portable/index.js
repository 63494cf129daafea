'use strict';

// The package over the portable host, bundled to dist/portable.js: on Bun and Deno, and in Node as
// uv-scheduler/portable.

require('../loading/supported.js');
const { shareCopies } = require('../loading/copies.js');
const { isOff } = require('../loading/disabled.js');

module.exports = shareCopies(isOff() ? 'off' : 'portable', () => require('../api.js'));
