'use strict';

// What `require('uv-scheduler')` gives. Owns the rule that an environment has one scheduler, and
// with it one enqueue order, however many copies of the package are loaded into it.

const { version } = require('./package.json');

const BINDING = Symbol.for('uv-scheduler.binding');

const first = globalThis[BINDING];
if (first !== undefined && first.version === version) {
  module.exports = first.exports;
} else {
  module.exports = require('./lib/index.js');
  if (first === undefined) {
    Object.defineProperty(globalThis, BINDING, { value: { version, exports: module.exports } });
  }
}
