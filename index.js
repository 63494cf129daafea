'use strict';

// The entry point of the sources, bundled with lib/ to dist/index.js (see scripts/setup/bundle.js).

require('./lib/loading/supported.js');
const { environmentVariable, foreignName } = require('./lib/loop/platform.js');

// The host's name decides before the addon is opened: Bun ends the process when the addon asks for
// the loop's backend.
if (foreignName !== undefined || environmentVariable('UV_SCHEDULER_PORTABLE') === '1') {
  module.exports = require('./lib/portable/index.js');
} else {
  const { shareCopies } = require('./lib/loading/copies.js');
  module.exports = shareCopies('addon', () => require('./lib/api.js'));
}
