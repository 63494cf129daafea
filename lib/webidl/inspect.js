'use strict';

// Makes `util.inspect` show the name and the attributes of an interface, as for Node's classes.

const { inspect } = require('node:util');

// Gives an interface its `util.inspect.custom`. `attributes(object)` returns the attributes to
// show, or undefined if the object does not implement the interface.
function defineInspect(constructor, attributes) {
  const inspectObject = function (depth, options) {
    const shown = attributes(this);
    if (shown === undefined || depth < 0) return this;
    const inner = { ...options, depth: options.depth === null ? null : options.depth - 1 };
    return `${nameOf(this) ?? constructor.name} ${inspect(shown, inner)}`;
  };
  Object.defineProperty(constructor.prototype, inspect.custom, {
    __proto__: null,
    value: inspectObject,
    writable: true,
    configurable: true,
  });
}

function nameOf(object) {
  const name = object.constructor?.name;
  return typeof name === 'string' && name !== '' ? name : undefined;
}

module.exports = { defineInspect };
