'use strict';

// `npm run build`: runs only set-up, including the build of the addon. With --all it builds the
// addon for all platforms of napi.targets in package.json, on this machine, and puts the binaries
// into npm/<platform>/; with --only, which can be repeated, for some. It ends with a table. On
// Linux zig links for all of them and has their C headers, cargo-zigbuild makes cargo use it, and
// libclang generates the bindings of libuv. macOS and Windows build their own, with the system's
// linker, as releases do.

require('./setup/check-node');
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { napi } = require('../package.json');
const { prepare } = require('./setup');
const { publishCore, sourcesHash } = require('./setup/addon');
const { addBinary } = require('./setup/packages');
const {
  ROOT, SetupError, checkName, printTable, readArguments, report, runMain, runQuietly, say,
  usageError,
} = require('./setup/process');
const python = require('./setup/python');
const { prepareRust } = require('./setup/tools');

const USAGE = 'npm run build -- [--all | --only PLATFORM …]';

// Pinned packages of Python's registry. libclang 14 fails on zig's headers of Windows and of macOS
// on x64.
const ZIG = ['cargo-zigbuild==0.24.0', 'ziglang==0.14.1', 'libclang==18.1.1'];

const NO_COMPILER = path.join(__dirname, 'setup', 'no-compiler.js');

// The oldest glibc that zig can link for and that every supported Node runs with.
const GLIBC = '2.17';

// Cargo's folder. The name has the glibc, because cargo keeps one library for all versions of it.
const TARGET = path.join(ROOT, 'target', `prebuilt-glibc-${GLIBC}`);

// A larger binary of Linux has something in it that does not belong there.
const MAX_LINUX_KB = 700;

const IS_LINUX = process.platform === 'linux';

const PROCESSORS = { x86_64: 'x64', aarch64: 'arm64' };

// The systems of targets: Node's name, and that of the file which cargo builds there.
const SYSTEMS = {
  linux: { system: 'linux', library: 'libuv_scheduler.so' },
  darwin: { system: 'darwin', library: 'libuv_scheduler.dylib' },
  windows: { system: 'win32', library: 'uv_scheduler.dll' },
};

// Microsoft's linker and libraries exist on Windows only. Elsewhere these targets are built
// instead. The binary has the same name, because that is what an official Node looks for.
const INSTEAD = {
  'x86_64-pc-windows-msvc': 'x86_64-pc-windows-gnu',
  'aarch64-pc-windows-msvc': 'aarch64-pc-windows-gnullvm',
};

function describe(target) {
  const [processor, , name, abi] = target.split('-');
  if (!(processor in PROCESSORS) || !(name in SYSTEMS)) {
    throw new SetupError(`package.json: napi.targets has ${target}, which no script can build`);
  }
  const { system, library } = SYSTEMS[name];
  return {
    platform: [system, PROCESSORS[processor], abi].filter(Boolean).join('-'),
    library,
    target,
    triple: IS_LINUX ? INSTEAD[target] ?? target : target,
    isHere: IS_LINUX || system === process.platform,
  };
}

// Returns the targets with these platform names, or all.
function chooseTargets(platforms) {
  const targets = napi.targets.map(describe);
  const names = targets.map(({ platform }) => platform);
  for (const name of platforms) checkName('platform', name, names);
  return targets.filter(({ platform }) => {
    return platforms.length === 0 || platforms.includes(platform);
  });
}

// Returns the environment of cargo: `env`, and on Linux the tools.
function addTools(env) {
  // The profile drops only debug information, because tests read the symbols.
  const stripping = { CARGO_PROFILE_RELEASE_STRIP: 'symbols' };
  if (!IS_LINUX) return { ...env, ...stripping };
  const { programs, modules } = python.environment('zig', 'zig', ZIG);
  return {
    ...env,
    PATH: `${programs}${path.delimiter}${env.PATH}`,
    LIBCLANG_PATH: path.join(modules, 'clang', 'native'),
    ...stripping,
  };
}

// Makes an object file without contents for a target, and an import library of Node without
// functions: the addon looks up all functions of the process by name, but on Windows the napi
// crate's build wants a library where it is not for Microsoft's linker. Returns the object's path.
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

// Builds for one target, and returns the binary's place in npm/.
function build({ platform, library, triple, isHere }, cargo) {
  if (!isHere) throw new SetupError('it takes Linux');
  const command = IS_LINUX ? 'zigbuild' : 'build';
  const named = IS_LINUX && triple.endsWith('-linux-gnu') ? `${triple}.${GLIBC}` : triple;
  const args = [command, '--release', '--lib', '--target', named, '--target-dir', TARGET];
  args.push('--manifest-path', path.join(ROOT, 'Cargo.toml'));
  const built = path.join(TARGET, triple, 'release', library);
  // Before the build: a source may change meanwhile.
  const sources = sourcesHash();
  // Cargo can succeed without a library, and an older one must not be taken for it.
  fs.rmSync(built, { force: true });
  fs.mkdirSync(TARGET, { recursive: true });
  prepareRust(triple, cargo);
  const env = IS_LINUX ? environmentFor(triple, cargo) : cargo;
  // In that folder, because zig's names for folders below the current one are relative to it, and
  // build scripts run in other folders.
  const { error, status } = spawnSync('cargo', args, { cwd: TARGET, env, stdio: 'inherit' });
  if (error) throw error;
  if (status !== 0) throw new SetupError(`cargo ${command} --target ${named} failed`);
  if (!fs.existsSync(built)) throw new SetupError(`cargo built no ${library} for ${named}`);
  return addBinary(platform, built, sources);
}

// Returns the size of a binary in KB.
function measure(platform, binary) {
  const size = Math.ceil(fs.statSync(binary).size / 1024);
  if (platform.startsWith('linux-') && size >= MAX_LINUX_KB) {
    throw new SetupError(`${binary} has ${size} KB, ${MAX_LINUX_KB} or more`);
  }
  return size;
}

// A row of the table. A platform that fails does not keep the others from being built.
function buildOne(target, env) {
  const { platform, triple } = target;
  const start = performance.now();
  const rowOf = (result, size = '') =>
    [platform, result, size, Math.round((performance.now() - start) / 1000)];
  say(`building for ${platform} …`);
  try {
    const size = measure(platform, build(target, env));
    const result = triple === target.target ? 'built' : `built as ${triple}`;
    return { isBuilt: true, row: rowOf(result, size) };
  } catch (error) {
    report(error);
    return { isBuilt: false, row: rowOf(`not built: ${error.message.split('\n')[0]}`) };
  }
}

// Runs set-up, then builds for these platforms, or for all. Resolves to whether all could be built.
async function buildBinaries(platforms = []) {
  const targets = chooseTargets(platforms);
  const env = addTools(await prepare({ needAddon: false, needCargo: true }));
  publishCore();
  const built = targets.map((target) => buildOne(target, env));
  printTable(['platform', 'result', 'KB', 'seconds'], built.map(({ row }) => row));
  if (IS_LINUX) {
    say('release builds for Windows and macOS use the system\'s own linker, on those systems');
  }
  return built.every(({ isBuilt }) => isBuilt);
}

async function main() {
  const options = { all: { type: 'boolean' }, only: { type: 'string', multiple: true } };
  const { all, only, names } = readArguments(process.argv.slice(2), USAGE, options);
  if (names.length > 0) throw usageError(`There is no "${names[0]}" to build`, USAGE);
  if (all || only !== undefined) return (await buildBinaries(only)) ? 0 : 1;
  await prepare();
  say('ready');
  return 0;
}

module.exports = { buildBinaries };

if (require.main === module) runMain(main);
