'use strict';

// Refuses hosts in which no build of the package runs. The entry points load it first.

const { refusal } = require('./refusal.js');

const { process } = globalThis;

// Bun and Deno also have the version of Node whose modules they offer.
if (process?.versions?.node === undefined) {
  throw refusal('it needs Node 20.19, 22.3 or newer, Bun or Deno.');
}

// dist/ reads Node's modules with it (scripts/setup/bundle.js says why).
if (process.getBuiltinModule === undefined) {
  throw refusal('it needs Node 20.19, 22.3 or newer.');
}
