'use strict';

// Loads the binding, and refuses hosts that the package does not support. The addon itself checks
// the functions that it needs from the host.

const binary = require('./binary.js');
const { withCode } = require('../webidl/error-code.js');
const { CODE, refusal } = require('./refusal.js');

// Programs other than Node that run its packages. Bun exports functions with libuv's names that end
// the process when they are called.
const FOREIGN = { bun: 'Bun', deno: 'Deno' };

// Loads the binding.
function loadBinding() {
  for (const name of Object.keys(FOREIGN)) {
    if (process.versions[name] === undefined) continue;
    throw refusal(`${FOREIGN[name]} has no libuv event loop. The package runs in Node only.`);
  }
  const platform = binary.platform();
  const file = binary.find(platform);
  if (file === undefined) throw refusal(require('./load-errors.js').missing(platform));
  try {
    return binary.load(file);
  } catch (cause) {
    throw refusal(require('./load-errors.js').unloadable(file, cause), { cause });
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
