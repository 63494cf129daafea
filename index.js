'use strict';

// The entry point of the package. However many copies of the package an environment loads, they
// export one scheduler, so that there is one enqueue order.

const { PROTOCOL } = require('./lib/protocol.js');

const BINDING = Symbol.for('uv-scheduler.binding');

// Keyed by protocol: only copies with the same protocol number can share a scheduler.
if (globalThis[BINDING] === undefined) {
  Object.defineProperty(globalThis, BINDING, { __proto__: null, value: new Map() });
}
const loaded = globalThis[BINDING];
if (loaded.has(PROTOCOL)) {
  module.exports = loaded.get(PROTOCOL);
} else {
  // `module.exports = require(…)` is the form in which ES modules detect the export names.
  module.exports = require('./lib/index.js');
  loaded.set(PROTOCOL, module.exports);
}
