'use strict';

// Gives an error a `code`, an ordinary own property, as Node's errors have.

function withCode(error, code) {
  return Object.defineProperty(error, 'code', {
    // Members added to `Object.prototype` must not count.
    __proto__: null,
    value: code,
    writable: true,
    enumerable: true,
    configurable: true,
  });
}

module.exports = { withCode };
