'use strict';

// The entry point of the sources, bundled with lib/ to dist/index.js (see scripts/setup/bundle.js).
// Where the addon does not load, the same core runs as WebAssembly.

require('./lib/loading/supported.js');
const { isOff } = require('./lib/loading/disabled.js');
const { CODE } = require('./lib/loading/refusal.js');
const { environmentVariable, foreignName } = require('./lib/loop/platform.js');
const { load, loadWithoutAddon } = require('./lib/load.js');

const PORTABLE = 'UV_SCHEDULER_PORTABLE';
const choice = environmentVariable(PORTABLE);

// The host's name decides before the addon is opened: Bun ends the process when the addon asks for
// the loop's backend.
const needsNoAddon = isOff() || foreignName !== undefined || choice === '1';

function loadWithAddon() {
  try {
    return load('addon', require('./lib/loading/addon.js'));
  } catch (error) {
    if (error?.code !== CODE || choice === '0') throw error;
    return fallBack(error);
  }
}

function fallBack(error) {
  let api;
  try {
    api = loadWithoutAddon();
  } catch {
    throw error;
  }
  const message = `${error.message}\nIt runs as WebAssembly instead, and \`guarantees\` names ` +
    `what is lost. ${PORTABLE}=1 accepts that, and 0 makes this warning an error.`;
  process.emitWarning(message, { type: 'UvSchedulerWarning', code: PORTABLE });
  return api;
}

module.exports = needsNoAddon ? loadWithoutAddon() : loadWithAddon();
