'use strict';

// `npm run build`: runs only set-up, including the build of the addon. With --all it builds the
// addon for all platforms of napi.targets in package.json, on this machine, and puts the binaries
// into npm/<platform>/; with --only for some. It ends with a table. On Linux zig links for all of
// them and has their C headers, cargo-zigbuild makes cargo use it, and libclang generates the
// bindings of libuv. macOS and Windows build their own with the system's linker, as releases do.

require('./setup/check-node');
const fs = require('node:fs');
const path = require('node:path');
const { PLATFORMS } = require('../lib/loading/binary.js');
const { napi } = require('../package.json');
const { prepare } = require('./setup');
const { publishCore, sourcesHash } = require('./setup/addon');
const { addBinary } = require('./setup/packages');
const {
  ROOT, SetupError, checkName, printTable, readArguments, report, runMain, runQuietly, say,
  succeeds,
} = require('./setup/process');
const python = require('./setup/python');
const { prepareRust } = require('./setup/tools');

const USAGE = 'npm run build -- [--all | --only PLATFORM …]';

// Pinned packages of Python. libclang 14 fails on zig's headers of Windows and of macOS on x64.
const ZIG = ['cargo-zigbuild==0.24.0', 'ziglang==0.14.1', 'libclang==18.1.1'];

// The oldest glibc that zig can link for and that every supported Node runs with.
const GLIBC = '2.17';

// Cargo's folder. The name has the glibc, because cargo keeps one library for all versions of it.
const TARGET = path.join(ROOT, 'target', `prebuilt-glibc-${GLIBC}`);

// A larger binary of Linux has something in it that does not belong there.
const MAX_LINUX_KB = 700;

const IS_LINUX = process.platform === 'linux';

// The files that cargo builds, by Node's names of the systems.
const LIBRARIES = {
  linux: 'libuv_scheduler.so', darwin: 'libuv_scheduler.dylib', win32: 'uv_scheduler.dll',
};

// Microsoft's linker and libraries exist on Windows only. Elsewhere these targets are built
// instead. The binary has the same name, because that is what an official Node looks for.
const INSTEAD = {
  'x86_64-pc-windows-msvc': 'x86_64-pc-windows-gnu',
  'aarch64-pc-windows-msvc': 'aarch64-pc-windows-gnullvm',
};

// Returns the targets with these platform names, or all.
function chooseTargets(platforms) {
  // Set-up installs it first.
  const { parseTriple } = require('@napi-rs/cli');
  return napi.targets.map((target) => {
    const { platformArchABI: platform, platform: system } = parseTriple(target);
    return { platform, system, target, triple: IS_LINUX ? INSTEAD[target] ?? target : target };
  }).filter(({ platform }) => platforms.length === 0 || platforms.includes(platform));
}

// Adds the variables of a release to the environment of cargo, and on Linux the tools.
function addTools(env) {
  // The profile drops only debug information, because tests read the symbols.
  env.CARGO_PROFILE_RELEASE_STRIP = 'symbols';
  if (!IS_LINUX) return;
  const { programs, modules } = python.environment('zig', 'zig', ZIG);
  env.PATH = `${programs}${path.delimiter}${env.PATH}`;
  env.LIBCLANG_PATH = path.join(modules, 'clang', 'native');
}

// Returns the environment in which cargo builds for a target. `env` is prepared. It has an object
// file without contents, and an import library of Node without functions: the addon looks up all
// functions of the process by name, but on Windows the napi crate's build wants a library where it
// is not for Microsoft's linker.
function environmentFor(triple, env) {
  const folder = path.join(ROOT, 'target', 'empty', triple);
  const object = path.join(folder, 'empty.o');
  fs.mkdirSync(folder, { recursive: true });
  runQuietly(`rustc made no object for ${triple}; its own message is above.`,
    'rustc', ['--crate-type=lib', '--emit=obj', '--target', triple, '-o', object, '-'],
    { env, input: '#![no_std]', stdio: 'pipe' });
  fs.writeFileSync(path.join(folder, 'libnode.a'), '!<arch>\n');
  // Only its existence is checked.
  fs.writeFileSync(path.join(folder, 'libnode.dll'), '');
  const name = triple.replaceAll('-', '_');
  return {
    ...env,
    [`CC_${name}`]: path.join(__dirname, 'setup', 'no-compiler.js'),
    EMPTY_OBJECT: object,
    LIBNODE_PATH: folder,
    // Rust links musl statically by default, and then builds no shared library.
    ...(triple.endsWith('-musl')
      && { [`CARGO_TARGET_${name.toUpperCase()}_RUSTFLAGS`]: '-C target-feature=-crt-static' }),
  };
}

// Builds for one target, and returns the binary's place in npm/.
function build({ platform, system, triple }, cargo) {
  if (!IS_LINUX && system !== process.platform) throw new SetupError('it takes Linux');
  const command = IS_LINUX ? 'zigbuild' : 'build';
  const named = IS_LINUX && triple.endsWith('-linux-gnu') ? `${triple}.${GLIBC}` : triple;
  const args = [command, '--release', '--lib', '--target', named, '--target-dir', TARGET];
  args.push('--manifest-path', path.join(ROOT, 'Cargo.toml'));
  const built = path.join(TARGET, triple, 'release', LIBRARIES[system]);
  // Before the build: a source may change meanwhile.
  const sources = sourcesHash();
  // Cargo can succeed without a library, and an older one must not be taken for it.
  fs.rmSync(built, { force: true });
  fs.mkdirSync(TARGET, { recursive: true });
  prepareRust(triple, cargo);
  const env = IS_LINUX ? environmentFor(triple, cargo) : cargo;
  // In that folder, because zig's names for folders below the current one are relative to it, and
  // build scripts run in other folders.
  if (!succeeds('cargo', args, { cwd: TARGET, env })) {
    throw new SetupError(`cargo ${command} --target ${named} failed`);
  }
  if (!fs.existsSync(built)) throw new SetupError(`cargo built no library for ${named}`);
  return addBinary(platform, built, sources);
}

// A row of the table. A platform that fails does not keep the others from being built.
function buildOne(target, env) {
  const { platform, system, triple } = target;
  const start = performance.now();
  const seconds = () => Math.round((performance.now() - start) / 1000);
  say(`building for ${platform} …`);
  try {
    const binary = build(target, env);
    const size = Math.ceil(fs.statSync(binary).size / 1024);
    if (system === 'linux' && size >= MAX_LINUX_KB) {
      throw new SetupError(`${binary} has ${size} KB, ${MAX_LINUX_KB} or more`);
    }
    const result = triple === target.target ? 'built' : `built as ${triple}`;
    return { isBuilt: true, row: [platform, result, size, seconds()] };
  } catch (error) {
    report(error);
    const result = `not built: ${error.message.split('\n')[0]}`;
    return { isBuilt: false, row: [platform, result, '', seconds()] };
  }
}

// Runs set-up, then builds for these platforms, or for all. Resolves to whether all could be built.
async function buildBinaries(platforms = []) {
  for (const name of platforms) checkName('platform', name, PLATFORMS);
  const env = await prepare({ needAddon: false, needCargo: true });
  addTools(env);
  publishCore();
  const built = chooseTargets(platforms).map((target) => buildOne(target, env));
  printTable(['platform', 'result', 'KB', 'seconds'], built.map(({ row }) => row));
  if (IS_LINUX) {
    say('release builds for Windows and macOS use the system\'s own linker, on those systems');
  }
  return built.every(({ isBuilt }) => isBuilt);
}

async function main(args) {
  const options = { all: { type: 'boolean' }, only: { type: 'string', multiple: true } };
  const { all, only } = readArguments(args, USAGE, options);
  if (all || only !== undefined) return (await buildBinaries(only)) ? 0 : 1;
  await prepare();
  say('ready');
  return 0;
}

module.exports = { buildBinaries };

if (require.main === module) runMain(main);
