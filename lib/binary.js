'use strict';

// Finds and loads this platform's binary of the addon. Each platform has a package of its own, of
// which npm installs the one that fits. A checkout has the binary in its root folder instead.
//
// Applications may be bundled. The calls of `require` are static, so that bundlers and tools that
// trace files find the packages. These name their file instead of loading it, as most bundlers
// cannot take in a `.node` file, and the path is wrong where one has moved the code: then the
// package is looked up where the program lies.

const { closeSync, existsSync, openSync, readSync } = require('node:fs');
const { join, toNamespacedPath } = require('node:path');

const PACKAGES = {
  'darwin-arm64': () => require('@uv-scheduler/binding-darwin-arm64'),
  'darwin-x64': () => require('@uv-scheduler/binding-darwin-x64'),
  'linux-arm64-gnu': () => require('@uv-scheduler/binding-linux-arm64-gnu'),
  'linux-arm64-musl': () => require('@uv-scheduler/binding-linux-arm64-musl'),
  'linux-x64-gnu': () => require('@uv-scheduler/binding-linux-x64-gnu'),
  'linux-x64-musl': () => require('@uv-scheduler/binding-linux-x64-musl'),
  'win32-arm64-msvc': () => require('@uv-scheduler/binding-win32-arm64-msvc'),
  'win32-x64-msvc': () => require('@uv-scheduler/binding-win32-x64-msvc'),
};

// Enough for the headers of an executable, which name its dynamic linker.
const HEADERS = 4096;

// The platform, named as in the packages.
function platform() {
  const name = `${process.platform}-${process.arch}`;
  if (process.platform === 'linux') return `${name}-${usesMusl() ? 'musl' : 'gnu'}`;
  return process.platform === 'win32' ? `${name}-msvc` : name;
}

// Whether the running executable uses the C library musl, to which a binary has to belong.
function usesMusl() {
  let file;
  try {
    file = openSync(process.execPath);
    const headers = Buffer.alloc(HEADERS);
    readSync(file, headers);
    return headers.includes('/ld-musl-');
  } catch {
    return false;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

// The places where the binary may be. Each returns a path, or throws if it knows none.
const PLACES = [
  // A checkout, or a copy beside a bundle.
  (name) => join(__dirname, '..', `uv-scheduler.${name}.node`),
  (name) => join(__dirname, `uv-scheduler.${name}.node`),
  (name) => PACKAGES[name]().file,
  (name) => {
    const { createRequire } = require('node:module');
    return createRequire(process.argv[1])(`@uv-scheduler/binding-${name}`).file;
  },
];

// The path of this platform's binary, or undefined. The user can name another one.
function find(name) {
  if (process.env.UV_SCHEDULER_BINARY) return process.env.UV_SCHEDULER_BINARY;
  for (const place of PLACES) {
    try {
      const file = place(name);
      if (existsSync(file)) return file;
    } catch {
      // The next place may know.
    }
  }
  return undefined;
}

// Loads a binary, as `require` does, of which bundlers would not leave a call with a variable.
function load(file) {
  const module = { exports: {} };
  process.dlopen(module, toNamespacedPath(file));
  return module.exports;
}

module.exports = { PLATFORMS: Object.keys(PACKAGES), find, load, platform };
