'use strict';

// The entry point of the sources, bundled with lib/ to dist/index.js (see scripts/setup/bundle.js).

// dist/ reads Node's modules with it (scripts/setup/bundle.js says why).
if (process.getBuiltinModule === undefined) {
  const { refusal } = require('./lib/loading/refusal.js');
  throw refusal('it needs Node 20.19, 22.3 or newer.');
}

const { environmentVariable, foreignName } = require('./lib/loop/platform.js');

// The host's name decides before the addon is opened: Bun ends the process when the addon asks for
// the loop's backend.
if (foreignName !== undefined || environmentVariable('UV_SCHEDULER_PORTABLE') === '1') {
  module.exports = require('./lib/portable/index.js');
} else {
  const { shareCopies } = require('./lib/loading/copies.js');
  module.exports = shareCopies('addon', () => require('./lib/api.js'));
}
