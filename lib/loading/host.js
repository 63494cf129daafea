'use strict';

// The host of the scheduler in this process, which the entry point chooses before it loads the
// rest: 'addon', 'portable' (the core as WebAssembly) or 'off' (immediates), and its functions.

const { withCode } = require('../webidl/error-code.js');
const { CODE } = require('./refusal.js');

function choose(mode, { fileOfBinding, loadBinding }) {
  Object.assign(module.exports, { mode, fileOfBinding, loadBinding });
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

module.exports = { choose, startEnvironment };
