'use strict';

// The `code` of errors, as those of Node have it: an ordinary property of their own.

function withCode(error, code) {
  return Object.defineProperty(error, 'code', {
    // `Object.prototype` may have members of any name.
    __proto__: null,
    value: code,
    writable: true,
    enumerable: true,
    configurable: true,
  });
}

module.exports = { withCode };
