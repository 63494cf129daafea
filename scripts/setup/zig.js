'use strict';

// Prepares cargo to build the addon for other platforms: zig links for all of them and has their C
// headers, cargo-zigbuild makes cargo use it, and libclang generates the bindings of libuv. All
// three are pinned packages of Python's registry; rustup has Rust's library for each platform.

const fs = require('node:fs');
const path = require('node:path');
const { ROOT, SetupError, output, runQuietly, say } = require('./process');
const python = require('./python');

// libclang 14 fails on zig's headers of Windows and of macOS on x64.
const PACKAGES = ['cargo-zigbuild==0.24.0', 'ziglang==0.14.1', 'libclang==18.1.1'];

const NO_COMPILER = path.join(__dirname, 'no-compiler.js');

// Returns the environment of cargo: `env`, and on Linux the tools.
function prepare(env) {
  // The profile drops only debug information, because tests read the symbols.
  const stripping = { CARGO_PROFILE_RELEASE_STRIP: 'symbols' };
  if (process.platform !== 'linux') return { ...env, ...stripping };
  const { programs, modules } = python.environment('zig', 'zig', PACKAGES);
  return {
    ...env,
    PATH: `${programs}${path.delimiter}${env.PATH}`,
    LIBCLANG_PATH: path.join(modules, 'clang', 'native'),
    ...stripping,
  };
}

// Makes sure that Rust's library for a target is installed.
function prepareRust(triple, env) {
  const folder = output('rustc', ['--print', 'target-libdir', '--target', triple], { env });
  if (folder !== null && fs.existsSync(folder)) return;
  if (output('rustup', ['--version'], { env }) === null) {
    throw new SetupError(
      `Rust's library for ${triple} was not found, and there is no rustup to install it:\n` +
        '  https://rustup.rs',
    );
  }
  say(`installing Rust's library for ${triple} (rustup target add) …`);
  runQuietly(`rustup could not install Rust's library for ${triple}`,
    'rustup', ['target', 'add', triple], { env });
}

// Makes an object file without contents for a target, and for Windows an import library of Node
// without functions: the addon looks up all functions of the process by name, but the napi crate's
// build wants a library where it is not for Microsoft's linker. Returns the object's path.
function makeEmpty(triple, env) {
  const folder = path.join(ROOT, 'target', 'empty', triple);
  const object = path.join(folder, 'empty.o');
  fs.mkdirSync(folder, { recursive: true });
  runQuietly(`rustc made no object for ${triple}; its own message is above.`,
    'rustc', ['--crate-type=lib', '--emit=obj', '--target', triple, '-o', object, '-'],
    { env, input: '#![no_std]', stdio: 'pipe' });
  fs.writeFileSync(path.join(folder, 'libnode.a'), '!<arch>\n');
  // Only its existence is checked.
  fs.writeFileSync(path.join(folder, 'libnode.dll'), '');
  return object;
}

// Returns the environment in which cargo builds for a target. `env` is prepared.
function environmentFor(triple, env) {
  const object = makeEmpty(triple, env);
  const name = triple.replaceAll('-', '_');
  return {
    ...env,
    [`CC_${name}`]: NO_COMPILER,
    EMPTY_OBJECT: object,
    LIBNODE_PATH: path.dirname(object),
    // Rust links musl statically by default, and then builds no shared library.
    ...(triple.endsWith('-musl')
      && { [`CARGO_TARGET_${name.toUpperCase()}_RUSTFLAGS`]: '-C target-feature=-crt-static' }),
  };
}

module.exports = { environmentFor, prepare, prepareRust };
