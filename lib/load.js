'use strict';

// Loads the public exports on a host, unless another copy of the package has done so.

const { shareCopies } = require('./loading/copies.js');
const { isOff } = require('./loading/disabled.js');
const { choose } = require('./loading/host.js');

// `host` is the module of the binding.
const load = (mode, host) => shareCopies(mode, () => {
  choose(mode, host);
  return require('./api.js');
});

// With the core as WebAssembly or, if UV_SCHEDULER_DISABLE turns the scheduler off, immediates.
const loadWithoutAddon = () => isOff()
  ? load('off', require('./plain/binding.js'))
  : load('portable', require('./portable/host.js'));

module.exports = { load, loadWithoutAddon };
