'use strict';

// Loads the addon, which itself checks the functions that it needs from the host.

const binary = require('./binary.js');
const { refusal } = require('./refusal.js');

// With the message of a module that is loaded when an error occurs.
function refuse(file, explain, options) {
  return refusal(explain(require('./load-errors.js')), options, `with its addon ${file}`);
}

let loadedFile;

// The file of the addon, for other threads.
const fileOfBinding = () => loadedFile;

function loadBinding() {
  const platform = binary.platform();
  const file = binary.find(platform);
  if (file === undefined) throw refuse(binary.fileOf(platform), ({ missing }) => missing(platform));
  try {
    const binding = binary.load(file);
    loadedFile = file;
    return binding;
  } catch (cause) {
    throw refuse(file, ({ unloadable }) => unloadable(cause), { cause });
  }
}

module.exports = { fileOfBinding, loadBinding };
