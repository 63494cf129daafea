'use strict';

// Builds the core as WebAssembly to dist/core.wasm, which scripts/setup/bundle.js puts into the
// portable build of the package. The file is the same for all platforms: with `npm/core.wasm`,
// which `npm run build -- --all` leaves there, a machine needs no Rust.

const fs = require('node:fs');
const path = require('node:path');
const { hashOf } = require('./addon');
const { readJson } = require('./npm');
const { ROOT, SetupError, say, succeedsQuietly } = require('./process');
const { prepareRust } = require('./zig');

const TRIPLE = 'wasm32-unknown-unknown';
const SOURCES = [
  'Cargo.toml', 'Cargo.lock', 'core/Cargo.toml', 'core/src', 'core/portable/Cargo.toml',
  'core/portable/src',
];
const BUILT = path.join(ROOT, 'target', TRIPLE, 'wasm', 'uv_scheduler_portable.wasm');
const FILE = path.join(ROOT, 'dist', 'core.wasm');
const STAMP = path.join(ROOT, 'dist', 'core.wasm.json');
const PREBUILT = path.join(ROOT, 'npm', 'core.wasm');

const sourcesHash = () => hashOf(ROOT, SOURCES);
const builtHash = () => hashOf(ROOT, [path.relative(ROOT, FILE)]);

function isCurrent() {
  const stamp = readJson(STAMP);
  return stamp !== null && stamp.sources === sourcesHash() && stamp.built === builtHash();
}

function keep(file) {
  const sources = sourcesHash();
  fs.mkdirSync(path.dirname(FILE), { recursive: true });
  fs.rmSync(STAMP, { force: true });
  fs.copyFileSync(file, FILE);
  fs.writeFileSync(STAMP, JSON.stringify({ sources, built: builtHash() }));
}

// Builds the file, unless it is current. `cargo()` returns the environment in which cargo runs.
function prepare(cargo) {
  if (isCurrent()) return;
  if (fs.existsSync(PREBUILT)) {
    keep(PREBUILT);
    return;
  }
  const env = cargo();
  prepareRust(TRIPLE, env);
  say('building the core as WebAssembly (cargo build) …');
  const args = ['build', '--profile', 'wasm', '--package', 'uv-scheduler-portable'];
  if (!succeedsQuietly('cargo', [...args, '--target', TRIPLE], { env })) {
    throw new SetupError('The core could not be built as WebAssembly; cargo\'s message is above.');
  }
  keep(BUILT);
}

// Puts the file beside the binaries of all platforms.
function publish() {
  fs.mkdirSync(path.dirname(PREBUILT), { recursive: true });
  fs.copyFileSync(FILE, PREBUILT);
}

module.exports = { FILE, prepare, publish };
