'use strict';

// Loads the addon, which itself checks the functions that it needs from the host.

const binary = require('./binary.js');
const { refusal } = require('./refusal.js');

// Loads the binding.
function loadBinding() {
  const platform = binary.platform();
  const file = binary.find(platform);
  if (file === undefined) throw refusal(require('./load-errors.js').missing(platform));
  try {
    return binary.load(file);
  } catch (cause) {
    throw refusal(require('./load-errors.js').unloadable(file, cause), { cause });
  }
}

module.exports = { loadBinding };
