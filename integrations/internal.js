'use strict';

// The scheduler that is loaded, as lib/internal.js offers it to integrations.

// Throws in an unsupported host.
const api = require('../index.js');

module.exports = api[Symbol.for('uv-scheduler.internal')];
