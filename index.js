'use strict';

// The entry point of the sources, bundled with lib/ to dist/index.js (see scripts/setup/bundle.js).

require('./lib/loading/supported.js');
const { environmentVariable, foreignName } = require('./lib/loop/platform.js');

const { isOff } = require('./lib/loading/disabled.js');
const { loadedCopy, shareCopies } = require('./lib/loading/copies.js');

// Loads the file beside this one without a `require` that bundlers see: it would make a bundle for
// Node three times as long. In a bundle it must have been imported before.
function loadPortable() {
  let load;
  try {
    load = require('node:module').createRequire(__filename);
    load.resolve('./portable.js');
  } catch (cause) {
    const { refusal } = require('./lib/loading/refusal.js');
    const reason = 'the bundle has no portable build. Import uv-scheduler/portable first.';
    throw refusal(reason, { cause });
  }
  return load('./portable.js');
}

// The host's name decides before the addon is opened: Bun ends the process when the addon asks for
// the loop's backend.
if (isOff()) {
  module.exports = shareCopies('off', () => require('./lib/api.js'));
} else if (foreignName !== undefined || environmentVariable('UV_SCHEDULER_PORTABLE') === '1') {
  module.exports = loadedCopy('portable') ?? loadPortable();
} else {
  module.exports = shareCopies('addon', () => require('./lib/api.js'));
}
