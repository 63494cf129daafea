'use strict';

// Finds and loads this platform's binary of the addon. Each platform has a package of its own, of
// which npm installs the one that fits. A checkout has the binary in its root folder instead.
//
// Applications may be bundled. The path that the package of a platform gives is wrong where that
// has moved the code: then the binary is looked up where the program lies.

const { closeSync, existsSync, openSync, readSync } = require('node:fs');
const { basename, dirname, isAbsolute, join, resolve, toNamespacedPath } = require('node:path');

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

// The names of a platform's binary and of its package.
const fileOf = (name) => `uv-scheduler.${name}.node`;
const packageOf = (name) => `@uv-scheduler/binding-${name}`;

// The `require` of a file that need not belong to this package.
function requireOf(file) {
  const { createRequire } = require('node:module');
  return createRequire(file);
}

// The file that Node was started with, as Node was given it and as Node has found it: the first can
// be a folder or a symbolic link, and node_modules can lie near either. None, if Node was started
// with code: then the argument, if there is one, is the user's.
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
// bundle elsewhere must not load what somebody has put above its folder.
const isInDist = () => basename(__dirname) === 'dist';
const isInPlace = () => isInDist() || basename(__filename) === 'binary.js';

// The folder of the package or of the checkout.
const root = () => join(__dirname, isInDist() ? '..' : '../..');

// The places where the binary may be. Each returns a path, or throws or returns no string if it
// knows none. Where ES modules are bundled, `__dirname` may not exist.
const PLACES = [
  // A checkout.
  (name) => isInPlace() && join(root(), fileOf(name)),
  // Where Node would look first for the package, and mostly find it. It takes longer.
  (name) => isInPlace() && join(root(), 'node_modules', packageOf(name), fileOf(name)),
  (name) => isInPlace() && join(root(), '..', packageOf(name), fileOf(name)),
  // A copy beside a bundle.
  (name) => join(__dirname, fileOf(name)),
  (name) => require('#bindings').packagedFile(name),
];

// Those near a program.
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

// The path of the binary by a place, or undefined.
function lookUp(place, ...args) {
  try {
    const file = place(...args);
    return typeof file === 'string' && existsSync(file) ? file : undefined;
  } catch {
    return undefined;
  }
}

// The path of this platform's binary, or undefined. The user can name another one.
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

// Loads a binary, as `require` does, of which bundlers would not leave a call with a variable. The
// system looks for a bare name where it keeps its libraries.
function load(file) {
  const module = { exports: {} };
  process.dlopen(module, toNamespacedPath(resolve(file)));
  return module.exports;
}

module.exports = {
  PLATFORMS,
  fileOf,
  find,
  load,
  packageOf,
  platform,
};
