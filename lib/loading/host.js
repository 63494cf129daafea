'use strict';

// The binding of this build of the package: the addon, or in dist/portable.js the core as
// WebAssembly.

const { withCode } = require('../webidl/error-code.js');
const { CODE } = require('./refusal.js');

// scripts/setup/bundle.js replaces the condition, and leaves out the other file.
const { explain, loadBinding } = process.env.UV_SCHEDULER_BUILD === 'portable'
  ? require('../portable/host.js')
  : require('./addon.js');

// Starts an environment of the binding and returns its number. Throws if the host lacks something
// that the binding needs.
function startEnvironment(binding, ...args) {
  try {
    return binding.start(...args);
  } catch (error) {
    explain?.(error);
    throw withCode(error, CODE);
  }
}

module.exports = { loadBinding, startEnvironment };
