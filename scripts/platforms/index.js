'use strict';

// The other platforms that this machine can run: how each is set up, and how its Nodes are started.
// `prepare()` of a platform resolves to { nodes, folder, nameOf, start, isEmulated }: its Nodes by
// major version, their folder for test/nodes, how they name a file of this machine, the command
// that starts one, and whether an emulator runs them. It throws a SetupError if the platform cannot
// be had here.

const fs = require('node:fs');
const path = require('node:path');
const { ROOT, SetupError, say, succeedsQuietly } = require('../setup/process');
const system = require('../setup/system');
const { PLATFORMS, prepareSystem, unpack } = require('./debian');
const { fromNpm, fromWheel, withEmulator } = require('./nodes');

const WINE = path.join(__dirname, 'wine.sh');
const NAMESPACES = ['--mount', '--pid', '--fork', '--propagation', 'private'];

function onLinux(platform, cpu, nodes, emulator) {
  const emulated = withEmulator(platform, cpu, nodes, emulator);
  const isEmulated = cpu !== process.arch;
  return { ...emulated, isEmulated, nameOf: (file) => file, start: ({ file }) => [file] };
}

async function prepareArm64() {
  const emulator = [system.prepare('qemu'), '-L', system.prepare('arm64')];
  const nodes = await fromNpm('linux', 'arm64');
  return onLinux('linux-arm64-gnu', 'arm64', nodes, emulator);
}

// musl's library is also the program that loads others.
function prepareMusl(platform, { cpu, machine, architecture, emulator }) {
  const folder = path.join(PLATFORMS, platform);
  const loader = path.join(folder, 'usr', 'lib', `${machine}-linux-musl`, 'libc.so');
  if (!fs.existsSync(loader)) unpack('musl', architecture, folder);
  return onLinux(platform, cpu, fromWheel(machine), [...emulator, loader]);
}

async function prepareWindows() {
  const root = prepareSystem();
  const nodes = await fromNpm('win32', 'x64');
  const output = path.join(PLATFORMS, 'wine.log');
  const wine = ['unshare', ...NAMESPACES, 'sh', WINE, root, ROOT, output];
  // Made anew each time: Wine hangs with what an interrupted run has left.
  const prefix = path.join(root, 'root', '.wine');
  fs.rmSync(prefix, { recursive: true, force: true });
  say('setting up Wine (wineboot) …');
  const [command, ...args] = [...wine, 'sh', '-c', 'wineboot --init; wineserver --wait'];
  const isDone = succeedsQuietly(command, args);
  if (!isDone || !fs.existsSync(path.join(prefix, 'system.reg'))) {
    throw new SetupError('Wine could not be set up: it takes root, and namespaces for mounts.');
  }
  const nameOf = (file) => `Z:${file.replaceAll('/', '\\')}`;
  const folder = nameOf(path.dirname(Object.values(nodes)[0].place));
  const start = ({ file }) => [...wine, 'wine', nameOf(file)];
  return { nodes, folder, nameOf, start, isEmulated: true };
}

const PREPARE = {
  'linux-arm64-gnu': prepareArm64,
  'linux-x64-musl': () => prepareMusl('linux-x64-musl',
    { cpu: 'x64', machine: 'x86_64', architecture: 'amd64', emulator: [] }),
  'linux-arm64-musl': () => prepareMusl('linux-arm64-musl', {
    cpu: 'arm64', machine: 'aarch64', architecture: 'arm64', emulator: [system.prepare('qemu')],
  }),
  'win32-x64-msvc': prepareWindows,
};

async function prepare(platform) {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new SetupError('Other platforms can be run on Linux on x64 only.');
  }
  return PREPARE[platform]();
}

module.exports = { names: Object.keys(PREPARE), prepare };
