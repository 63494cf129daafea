'use strict';

// What `require('uv-scheduler')` gives. Owns the rule that an environment has one scheduler, and
// with it one enqueue order, however many copies of the package are loaded into it.

const { version } = require('./package.json');

const BINDING = Symbol.for('uv-scheduler.binding');

// By version: what a copy of another version expects of the rest of it cannot be known.
if (globalThis[BINDING] === undefined) {
  Object.defineProperty(globalThis, BINDING, { __proto__: null, value: new Map() });
}
const loaded = globalThis[BINDING];
if (loaded.has(version)) {
  module.exports = loaded.get(version);
} else {
  // In this form ES modules see the names that it exports.
  module.exports = require('./lib/index.js');
  loaded.set(version, module.exports);
}
