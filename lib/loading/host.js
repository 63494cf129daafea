'use strict';

// The binding of this process: the addon or, in dist/portable.js, the core as WebAssembly. If
// UV_SCHEDULER_DISABLE turns the scheduler off, immediates in place of both.

const { withCode } = require('../webidl/error-code.js');
const { isOff } = require('./disabled.js');
const { CODE } = require('./refusal.js');

const BUILD = process.env.UV_SCHEDULER_BUILD === 'portable' ? 'portable' : 'addon';

const mode = isOff() ? 'off' : BUILD;

// scripts/setup/bundle.js replaces the second condition, and leaves out the other file.
const { explain, fileOfBinding, loadBinding } = mode === 'off'
  ? require('../plain/binding.js')
  : process.env.UV_SCHEDULER_BUILD === 'portable'
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

module.exports = { fileOfBinding, loadBinding, mode, startEnvironment };
