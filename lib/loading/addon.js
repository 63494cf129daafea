'use strict';

// Loads the addon, which itself checks the functions that it needs from the host.

const binary = require('./binary.js');
const { refusal } = require('./refusal.js');

// With the message of this module, which is loaded when an error occurs.
function refuse(explain, options) {
  const errors = require('./load-errors.js');
  return refusal(explain(errors) + errors.WAY_OUT, options);
}

let loadedFile;

// The file of the addon, for other threads.
const fileOfBinding = () => loadedFile;

// Loads the binding.
function loadBinding() {
  const platform = binary.platform();
  const file = binary.find(platform);
  if (file === undefined) throw refuse(({ missing }) => missing(platform));
  try {
    const binding = binary.load(file);
    loadedFile = file;
    return binding;
  } catch (cause) {
    throw refuse(({ unloadable }) => unloadable(file, cause), { cause });
  }
}

// Adds to an error of the addon's start what to do about it.
function explain(error) {
  error.message += require('./load-errors.js').WAY_OUT;
}

module.exports = { explain, fileOfBinding, loadBinding };
