'use strict';

// Checks whether the built addon matches the current sources, and builds it if not. Other modules
// install the tools that the build needs. It compares hashes of contents because a fresh clone
// gives every file the same new modification time.

const { createHash } = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');
const { ROOT, SetupError, say, succeedsBeside } = require('./process');
const { readJson } = require('./npm');

const SOURCES = [
  'Cargo.toml', 'Cargo.lock', 'build.rs', 'src', 'core/Cargo.toml', 'core/src',
  'core/idle/Cargo.toml', 'core/idle/src', '.cargo', 'rust-toolchain', 'rust-toolchain.toml',
];
// The stamp is in node_modules, so a new version of the napi command causes a new build.
const CACHE = path.join(ROOT, 'node_modules', '.cache', 'uv-scheduler');
const STAMP = path.join(CACHE, 'addon.json');

const MACHINE = `${process.platform}-${process.arch}`;

// Returns all files under a file or folder in a fixed order, or none if it does not exist.
function filesUnder(place) {
  const stat = fs.statSync(place, { throwIfNoEntry: false });
  if (!stat) return [];
  if (!stat.isDirectory()) return [place];
  return fs.readdirSync(place).sort().flatMap((name) => filesUnder(path.join(place, name)));
}

// Returns one hash of the names and contents of all files under the places, relative to root. It is
// the same on every system: binaries are built on some, and packed on another.
function hashOf(root, places, extra = '') {
  const hash = createHash('sha256').update(extra);
  for (const place of places) {
    for (const file of filesUnder(path.join(root, place))) {
      const content = fs.readFileSync(file);
      const name = path.relative(root, file).replaceAll(path.sep, '/');
      hash.update(`\0${name}\0${content.length}\0`).update(content);
    }
  }
  return hash.digest('hex');
}

// What the addon is built from, on any platform.
function sourcesHash() {
  const { napi } = readJson(path.join(ROOT, 'package.json'));
  return hashOf(ROOT, SOURCES, JSON.stringify(napi));
}

function builtFiles() {
  return fs.readdirSync(ROOT).filter((name) => name.endsWith('.node')).sort();
}

// The stamp also holds hashes of the built files, so that set-up replaces a damaged, missing or
// foreign file (for example a debug build made by hand).
function isCurrent() {
  const stamp = readJson(STAMP);
  if (!stamp || stamp.sources !== sourcesHash() || stamp.machine !== MACHINE) return false;
  return builtFiles().length > 0 && stamp.built === builtHash();
}

function builtHash() {
  return hashOf(ROOT, builtFiles());
}

async function build(env) {
  say('building the addon (napi build --platform --release; a minute or two at first) …');
  const sources = sourcesHash();
  fs.rmSync(STAMP, { force: true });
  const { bin } = readJson(path.join(ROOT, 'node_modules', '@napi-rs', 'cli', 'package.json'));
  const cli = path.join(ROOT, 'node_modules', '@napi-rs', 'cli', bin.napi);
  // The package has a loader and types of its own.
  const args = [cli, 'build', '--platform', '--release', '--no-js'];
  args.push('--dts', path.join('target', 'binding.d.ts'));
  if (!(await succeedsBeside(process.execPath, args, { env }))) {
    throw new SetupError(
      'The addon could not be built; the compiler\'s own message is above.\n' +
        'If it speaks of libclang, set LIBCLANG_PATH to the folder that holds the libclang\n' +
        'library; if a C header is missing, install the C library\'s development files:\n' +
        'libc6-dev on Debian, glibc-devel on Fedora, musl-dev on Alpine, and on macOS run\n' +
        'xcode-select --install.',
    );
  }
  fs.mkdirSync(CACHE, { recursive: true });
  fs.writeFileSync(STAMP, JSON.stringify({ sources, machine: MACHINE, built: builtHash() }));
}

module.exports = { SOURCES, build, hashOf, isCurrent, sourcesHash };
