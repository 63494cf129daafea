'use strict';

// The package over the portable host, bundled to dist/portable.js: on Bun and Deno, and in Node as
// uv-scheduler/portable.

require('../loading/supported.js');
const { shareCopies } = require('../loading/copies.js');

module.exports = shareCopies('portable', () => require('../api.js'));
