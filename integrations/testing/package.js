'use strict';

// The package that tests use, with the portable host where the addon does not load, what
// lib/internal.js offers of it, and the binding of a test.

require('../../lib/loading/supported.js');
const { CODE } = require('../../lib/loading/refusal.js');
const { createBinding } = require('../../lib/portable/binding.js');

function loadPackage() {
  try {
    return require('../../index.js');
  } catch (error) {
    if (error?.code !== CODE) throw error;
    return require('../../lib/portable/index.js');
  }
}

const api = loadPackage();

module.exports = { api, createBinding, internal: api[Symbol.for('uv-scheduler.internal')] };
