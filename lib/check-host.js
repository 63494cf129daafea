'use strict';

// Refuses hosts that the package cannot run in, with an error that a program can tell by its code
// from any other, to go on without. What the addon needs of the host it finds out itself.

const { withCode } = require('./error-code.js');

const CODE = 'ERR_UV_SCHEDULER_UNSUPPORTED';

function refusal(what, options) {
  const error = new Error(`uv-scheduler cannot run in this process: ${what}`, options);
  return withCode(error, CODE);
}

// The binding, if this host has one that may be loaded.
function loadBinding() {
  // Bun has functions under libuv's names that end the process when they are called.
  if (process.versions.bun !== undefined) throw refusal('Bun has no libuv event loop');
  try {
    return require('../binding.js');
  } catch (cause) {
    const platform = `${process.platform}-${process.arch}`;
    throw refusal(`there is no binary of the addon for ${platform}`, { cause });
  }
}

// Starts an environment of the binding and returns its number. The binding refuses hosts that lack
// something.
function startEnvironment(binding, ...args) {
  try {
    return binding.start(...args);
  } catch (error) {
    throw withCode(error, CODE);
  }
}

module.exports = { loadBinding, startEnvironment };
