'use strict';

// Refuses hosts in which no build of the package runs. Each entry point loads it first.

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

// Without a permission, Deno reads the files of a package in node_modules only, not those of a
// linked one. Each entry point requires another file of the package, by the same means. In a
// bundle, the file may be missing.
if (process.versions.deno !== undefined) {
  try {
    require('node:module').createRequire(__filename).resolve('./portable.js');
  } catch (cause) {
    if (cause?.name === 'NotCapable') {
      const needs = 'Deno needs the permission --allow-read for the files of the package.';
      throw refusal(`${needs} ${cause.message}.`, { cause });
    }
  }
}
