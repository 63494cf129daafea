'use strict';

// Finds and loads this platform's binary of the addon. Each platform has its own package, and npm
// installs the matching one. A checkout has the binary in its root folder instead.
//
// If a bundler has moved the code, the path from the platform's package is wrong. Then the binary
// is looked up near the program.

const { closeSync, existsSync, openSync, readSync } = require('node:fs');
const { basename, dirname, isAbsolute, join, resolve, toNamespacedPath } = require('node:path');

const realm = require('./realm.js');

const PLATFORMS = [
  'darwin-arm64',
  'darwin-x64',
  'linux-arm64-gnu',
  'linux-arm64-musl',
  'linux-x64-gnu',
  'linux-x64-musl',
  'win32-arm64-msvc',
  'win32-x64-msvc',
];

// Enough for the headers of an executable, which name its dynamic linker.
const HEADERS = 4096;

// The platform, named as in the packages.
function platform() {
  const name = `${process.platform}-${process.arch}`;
  if (process.platform === 'linux') return `${name}-${usesMusl() ? 'musl' : 'gnu'}`;
  return process.platform === 'win32' ? `${name}-msvc` : name;
}

// Whether the running executable uses the C library musl, which the binary must match.
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

// The names of a platform's binary and of its package.
const fileOf = (name) => `uv-scheduler.${name}.node`;
const packageOf = (name) => `@uv-scheduler/binding-${name}`;

// The `require` of a file that need not belong to this package.
function requireOf(file) {
  const { createRequire } = require('node:module');
  return createRequire(file);
}

// The program's file, as given to Node and as resolved: the given path can be a folder or a
// symbolic link, and node_modules can lie near either. Empty if Node was started with code: then
// the first argument, if any, is the user's.
function programs() {
  const given = process.argv[1];
  if (given === undefined || !isAbsolute(given)) return [];
  try {
    return [given, requireOf(given).resolve(given)];
  } catch {
    return [given];
  }
}

// Whether this code is in the folder of the package or of a checkout, in dist/ or in this file. A
// bundle elsewhere must not load foreign files from above its folder.
const isInDist = () => basename(__dirname) === 'dist';
const isInPlace = () => isInDist() || basename(__filename) === 'binary.js';

// The folder of the package or of the checkout.
const root = () => join(__dirname, isInDist() ? '..' : '../..');

// The places where the binary may be. Each returns a path; without one, it throws or returns no
// string. In bundles of ES modules, `__dirname` may not exist.
const PLACES = [
  // A checkout.
  (name) => isInPlace() && join(root(), fileOf(name)),
  // Where Node mostly finds the package. Faster than Node's own lookup.
  (name) => isInPlace() && join(root(), 'node_modules', packageOf(name), fileOf(name)),
  (name) => isInPlace() && join(root(), '..', packageOf(name), fileOf(name)),
  // A copy in the folder of a bundle.
  (name) => join(__dirname, fileOf(name)),
  (name) => require('#bindings').packagedFile(name),
];

// The places near a program.
const PLACES_NEAR = [
  (program, name) => join(dirname(program), fileOf(name)),
  (program, name) => requireOf(program)(packageOf(name)).file,
  // pnpm and Yarn let only this package see the packages that it depends on.
  (program, name) => {
    const own = requireOf(program).resolve('uv-scheduler');
    return requireOf(own)(packageOf(name)).file;
  },
  // Next.js copies the binary to node_modules without the rest of its package.
  (program, name) => {
    const folders = requireOf(program).resolve.paths(packageOf(name));
    return folders.map((folder) => join(folder, packageOf(name), fileOf(name))).find(existsSync);
  },
];

// The path of the binary at a place, or undefined.
function lookUp(place, ...args) {
  try {
    const file = place(...args);
    return typeof file === 'string' && existsSync(file) ? file : undefined;
  } catch {
    return undefined;
  }
}

// The path of this platform's binary, or undefined. UV_SCHEDULER_BINARY overrides it.
function find(name) {
  if (process.env.UV_SCHEDULER_BINARY) return process.env.UV_SCHEDULER_BINARY;
  for (const place of PLACES) {
    const file = lookUp(place, name);
    if (file !== undefined) return file;
  }
  for (const program of programs()) {
    for (const place of PLACES_NEAR) {
      const file = lookUp(place, program, name);
      if (file !== undefined) return file;
    }
  }
  return undefined;
}

// By path: the addons that the contexts of this thread share. Loaded again, an addon would have
// further functions, which stay until the thread ends, and hooks that say where the loop is.
const LOADED = Symbol.for('uv-scheduler.addons');

// Loads a binary like `require`, which bundlers rewrite if its argument is a variable. The path is
// made absolute because the system looks up a bare name among its libraries.
function load(file) {
  if (realm[LOADED] === undefined) {
    Object.defineProperty(realm, LOADED, { __proto__: null, value: new realm.Map() });
  }
  const path = toNamespacedPath(resolve(file));
  if (!realm[LOADED].has(path)) {
    const module = { exports: new realm.Object() };
    process.dlopen(module, path);
    realm[LOADED].set(path, module.exports);
  }
  return realm[LOADED].get(path);
}

module.exports = {
  PLATFORMS,
  fileOf,
  find,
  load,
  packageOf,
  platform,
};
