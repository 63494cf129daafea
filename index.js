'use strict';

// The entry point of the sources, bundled with lib/ to dist/index.js (see scripts/setup/bundle.js).
// All copies of the package in an environment export the same scheduler, so that there is one
// enqueue order.

const { PROTOCOL } = require('./lib/loop/protocol.js');

// dist/ reads Node's modules with it (scripts/setup/bundle.js says why).
if (process.getBuiltinModule === undefined) {
  const { refusal } = require('./lib/loading/refusal.js');
  throw refusal('it needs Node 20.19, 22.3 or newer.');
}

const BINDING = Symbol.for('uv-scheduler.binding');

// Keyed by protocol: only copies with the same protocol number can share a scheduler.
if (globalThis[BINDING] === undefined) {
  Object.defineProperty(globalThis, BINDING, { __proto__: null, value: new Map() });
}
const loaded = globalThis[BINDING];
if (!loaded.has(PROTOCOL)) loaded.set(PROTOCOL, require('./lib/api.js'));

module.exports = loaded.get(PROTOCOL);
