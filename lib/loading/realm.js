'use strict';

// The global object of the thread's own realm. Test runners load the package into contexts of
// `node:vm`, each a realm of its own, and an object keeps the realm in memory that has made it. So
// what all contexts share, and what outlives them, is made by this realm.

const { runInThisContext } = require('node:vm');

const isHere = require('node:events') instanceof Function;

module.exports = isHere ? globalThis : runInThisContext('globalThis');
