'use strict';

// The scheduler that is loaded, as lib/internal.js offers it to integrations.

// Both throw in an unsupported host, the first one also where index.js cannot be read.
require('../lib/loading/supported.js');
const api = require('../index.js');

module.exports = api[Symbol.for('uv-scheduler.internal')];
