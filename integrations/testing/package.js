'use strict';

// The package that tests use, what lib/internal.js offers of it, and the binding of a test.

require('../../lib/loading/supported.js');
const { createBinding } = require('../../lib/portable/binding.js');
const api = require('../../index.js');

module.exports = { api, createBinding, internal: api[Symbol.for('uv-scheduler.internal')] };
