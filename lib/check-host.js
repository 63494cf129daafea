'use strict';

// Refuses hosts that the package does not support, with an error code by which a program can tell
// and do without the package. The addon checks itself what it needs from the host.

const { withCode } = require('./error-code.js');

const CODE = 'ERR_UV_SCHEDULER_UNSUPPORTED';

function refusal(what, options) {
  const error = new Error(`uv-scheduler cannot run in this process: ${what}`, options);
  return withCode(error, CODE);
}

// Loads the binding.
function loadBinding() {
  // Bun exports functions with libuv's names that end the process when they are called.
  if (process.versions.bun !== undefined) throw refusal('Bun has no libuv event loop');
  try {
    return require('../binding.js');
  } catch (cause) {
    const platform = `${process.platform}-${process.arch}`;
    throw refusal(`there is no binary of the addon for ${platform}`, { cause });
  }
}

// Starts an environment of the binding and returns its number. Throws if the host lacks something
// that the binding needs.
function startEnvironment(binding, ...args) {
  try {
    return binding.start(...args);
  } catch (error) {
    throw withCode(error, CODE);
  }
}

module.exports = { loadBinding, startEnvironment };
