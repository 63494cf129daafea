'use strict';

// Builds the addon for platforms of napi.targets in package.json, on this machine, and puts the
// binaries into npm/<platform>/. It ends with a table. On Linux zig links for all of them. macOS
// and Windows build their own, with the system's linker, as releases do.

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { ROOT, SetupError, printTable, report, say } = require('./setup/process');
const { prepare } = require('./setup');
const { needed } = require('./setup/inspect-binary');
const { sourcesHash } = require('./setup/addon');
const { addBinary } = require('./setup/packages');
const { GLIBC, chooseTargets } = require('./setup/targets');
const wasm = require('./setup/wasm');
const zig = require('./setup/zig');
const { names: testable } = require('./platforms');

// Cargo's folder. The name has the glibc, because cargo keeps one library for all versions of it.
const TARGET = path.join(ROOT, 'target', `prebuilt-glibc-${GLIBC}`);

// A larger binary of Linux has something in it that does not belong there.
const MAX_LINUX_KB = 600;

// How this machine builds a target: cargo's subcommand, and the target as it is named to it.
function chooseBuild({ platform, target, triple, glibc }) {
  if (process.platform === 'linux') {
    const named = glibc === null ? triple : `${triple}.${glibc}`;
    return { command: 'zigbuild', named, triple };
  }
  if (platform.startsWith(`${process.platform}-`)) {
    return { command: 'build', named: target, triple: target };
  }
  throw new SetupError('it takes Linux');
}

// Builds for one target, and returns the binary's place in npm/.
function build(target, cargo) {
  const { platform, library } = target;
  const { command, named, triple } = chooseBuild(target);
  const args = [command, '--release', '--lib', '--target', named, '--target-dir', TARGET];
  args.push('--manifest-path', path.join(ROOT, 'Cargo.toml'));
  const built = path.join(TARGET, triple, 'release', library);
  // Before the build: a source may change meanwhile.
  const sources = sourcesHash();
  // Cargo can succeed without a library, and an older one must not be taken for it.
  fs.rmSync(built, { force: true });
  fs.mkdirSync(TARGET, { recursive: true });
  // Here, because zig's names for folders below the current one are relative to it, and build
  // scripts run in other folders.
  const env = command === 'zigbuild' ? zig.environmentFor(target, cargo) : cargo;
  zig.prepareRust(triple, env);
  const options = { cwd: TARGET, env, stdio: 'inherit' };
  const { error, status } = spawnSync('cargo', args, options);
  if (error) throw error;
  if (status !== 0) throw new SetupError(`cargo ${command} --target ${named} failed`);
  if (!fs.existsSync(built)) throw new SetupError(`cargo built no ${library} for ${named}`);
  return addBinary(platform, built, sources);
}

function inspect(target, binary) {
  const size = Math.ceil(fs.statSync(binary).size / 1024);
  if (target.platform.startsWith('linux-') && size >= MAX_LINUX_KB) {
    throw new SetupError(`${binary} has ${size} KB, ${MAX_LINUX_KB} or more`);
  }
  return { size, needs: needed(target.platform, binary) };
}

function resultOf({ platform, triple, isForMsvc }) {
  if (process.platform !== 'linux') return 'built';
  const how = isForMsvc ? `built as ${triple}` : 'built';
  const canRun = testable.includes(platform) || platform === 'linux-x64-gnu';
  return canRun ? how : `${how}, cannot be tested here`;
}

// A row of the table. A platform that fails does not keep the others from being built.
function buildOne(target, env) {
  const start = performance.now();
  say(`building for ${target.platform} …`);
  const row = { platform: target.platform, isBuilt: false, size: '', needs: '' };
  try {
    Object.assign(row, inspect(target, build(target, env)), { isBuilt: true });
    row.result = resultOf(target);
  } catch (error) {
    report(error);
    row.result = `not built: ${error.message.split('\n')[0]}`;
  }
  row.seconds = Math.round((performance.now() - start) / 1000);
  return row;
}

function print(rows) {
  printTable(['platform', 'result', 'KB', 'needs', 'seconds'],
    rows.map(({ platform, result, size, needs, seconds }) =>
      [platform, result, size, needs, seconds]));
  if (process.platform !== 'linux') return;
  say('release builds for Windows and macOS use the system\'s own linker, on those systems');
}

// Runs set-up, then builds for these platforms, or for all. Resolves to whether all could be built.
async function buildBinaries(platforms = []) {
  const targets = chooseTargets(platforms);
  const env = zig.prepare(await prepare({ needAddon: false, needCargo: true }));
  wasm.publish();
  const rows = targets.map((target) => buildOne(target, env));
  print(rows);
  return rows.every(({ isBuilt }) => isBuilt);
}

module.exports = { buildBinaries };
