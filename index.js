'use strict';

// What `require('uv-scheduler')` gives. Owns the rule that an environment has one scheduler, and
// with it one enqueue order, however many copies of the package are loaded into it.

const { PROTOCOL } = require('./lib/protocol.js');

const BINDING = Symbol.for('uv-scheduler.binding');

// By protocol: what a copy that speaks another one expects of the rest cannot be known.
if (globalThis[BINDING] === undefined) {
  Object.defineProperty(globalThis, BINDING, { __proto__: null, value: new Map() });
}
const loaded = globalThis[BINDING];
if (loaded.has(PROTOCOL)) {
  module.exports = loaded.get(PROTOCOL);
} else {
  // In this form ES modules see the names that it exports.
  module.exports = require('./lib/index.js');
  loaded.set(PROTOCOL, module.exports);
}
