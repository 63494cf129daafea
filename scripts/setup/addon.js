'use strict';

// Builds what is made of Rust: the addon, and the core as WebAssembly, dist/core.wasm, which
// bundle.js puts into the portable build of the package. It checks before whether they match the
// current sources, by hashes of contents, because a fresh clone gives every file the same new
// modification time. Other modules install the tools that the builds need.

const { createHash } = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');
const { napi } = require('../../package.json');
const { readJson } = require('./npm');
const { ROOT, SetupError, hasText, runQuietly, say, succeedsBeside } = require('./process');
const { prepareRust } = require('./tools');

const SOURCES = [
  'Cargo.toml', 'Cargo.lock', 'build.rs', 'src', 'core/Cargo.toml', 'core/src',
  'core/idle/Cargo.toml', 'core/idle/src', '.cargo', 'rust-toolchain', 'rust-toolchain.toml',
];
const CORE_SOURCES = [
  'Cargo.toml', 'Cargo.lock', 'core/Cargo.toml', 'core/src', 'core/portable/Cargo.toml',
  'core/portable/src',
];
const TRIPLE = 'wasm32-unknown-unknown';
const BUILT = path.join(ROOT, 'target', TRIPLE, 'wasm', 'uv_scheduler_portable.wasm');
const CORE = path.join(ROOT, 'dist', 'core.wasm');

// The core is the same for all platforms: with this file, which `npm run build -- --all` leaves
// there, a machine needs no Rust. Another file says from which sources it was made.
const PREBUILT = path.join(ROOT, 'npm', 'core.wasm');
const PREBUILT_STAMP = `${PREBUILT}.sources`;

// Returns all files under a file or folder in a fixed order, or none if it does not exist.
function filesUnder(place) {
  if (!fs.existsSync(place)) return [];
  if (!fs.statSync(place).isDirectory()) return [place];
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

// The hash of all that the addon is built from, on any platform.
const sourcesHash = () => hashOf(ROOT, SOURCES, JSON.stringify(napi));

// A stamp says from which sources a build was made. It also holds a hash of the built files, so
// that set-up replaces a damaged, missing or foreign file (for example a debug build made by hand).
const ADDON = {
  // In node_modules, so a new version of the napi command causes a new build.
  stamp: path.join(ROOT, 'node_modules', '.cache', 'uv-scheduler', 'addon.json'),
  sources: sourcesHash,
  files: () => fs.readdirSync(ROOT).filter((name) => name.endsWith('.node')).sort(),
  machine: `${process.platform}-${process.arch}`,
};
const WASM = {
  stamp: `${CORE}.json`,
  sources: () => hashOf(ROOT, CORE_SOURCES),
  files: () => [path.relative(ROOT, CORE)],
};

const describe = ({ files, machine }, sources) =>
  JSON.stringify({ sources, machine, built: hashOf(ROOT, files()) });

const isStamped = (build) => hasText(build.stamp, describe(build, build.sources()));

// Makes a build and its stamp. The sources are read before: they may change meanwhile.
async function makeStamped(build, make) {
  const sources = build.sources();
  fs.rmSync(build.stamp, { force: true });
  await make();
  fs.mkdirSync(path.dirname(build.stamp), { recursive: true });
  fs.writeFileSync(build.stamp, describe(build, sources));
}

const isCurrent = () => isStamped(ADDON);
const isBuilt = () => ADDON.files().length > 0;

const build = (env) => makeStamped(ADDON, async () => {
  say('building the addon (napi build --platform --release; a minute or two at first) …');
  const folder = path.join(ROOT, 'node_modules', '@napi-rs', 'cli');
  const { bin } = readJson(path.join(folder, 'package.json'));
  // The package has a loader and types of its own.
  const args = [path.join(folder, bin.napi), 'build', '--platform', '--release', '--no-js'];
  args.push('--dts', path.join('target', 'binding.d.ts'));
  if (await succeedsBeside(process.execPath, args, { env })) return;
  throw new SetupError(
    'The addon could not be built; the compiler\'s own message is above.\n' +
      'If it speaks of libclang, set LIBCLANG_PATH to the folder that holds the libclang\n' +
      'library; if a C header is missing, install the C library\'s development files:\n' +
      'libc6-dev on Debian, glibc-devel on Fedora, musl-dev on Alpine, and on macOS run\n' +
      'xcode-select --install.',
  );
});

function compileCore(env) {
  prepareRust(TRIPLE, env);
  say('building the core as WebAssembly (cargo build) …');
  const args = `build --profile wasm --package uv-scheduler-portable --target ${TRIPLE}`;
  runQuietly('The core could not be built as WebAssembly; cargo\'s message is above.',
    'cargo', args.split(' '), { env });
}

// Builds the core, unless it is current. `cargo()` returns the environment in which cargo runs.
async function prepareCore(cargo) {
  if (isStamped(WASM)) return;
  await makeStamped(WASM, () => {
    const isPrebuilt = hasText(PREBUILT_STAMP, WASM.sources());
    if (!isPrebuilt) compileCore(cargo());
    fs.cpSync(isPrebuilt ? PREBUILT : BUILT, CORE);
  });
}

// Puts the core beside the binaries of all platforms.
function publishCore() {
  fs.cpSync(CORE, PREBUILT);
  fs.writeFileSync(PREBUILT_STAMP, WASM.sources());
}

module.exports = {
  SOURCES, build, hashOf, isBuilt, isCurrent, prepareCore, publishCore, sourcesHash,
};
