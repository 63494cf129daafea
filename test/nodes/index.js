'use strict';

// The Node executables of other versions on which the tests run programs. They come from the
// optional dependencies in this folder, one package for each version and platform, named
// node<major>-<platform>-<arch>. The environment variable TEST_NODES, a list of major versions,
// selects some of them, and TEST_NODES_FOLDER names another folder with such packages. With
// TEST_NODES=own it is the Node that runs the tests, for platforms that have no such packages.

const fs = require('node:fs');
const path = require('node:path');
const { optionalDependencies } = require('./package.json');

const PLATFORM = `${process.platform}-${process.arch}`;
const FOLDER = process.env.TEST_NODES_FOLDER ?? path.join(__dirname, 'node_modules');
const PROGRAM = process.platform === 'win32' ? 'node.exe' : 'node';

const majorOf = (name) => Number(/^node(\d+)-/.exec(name)[1]);

// An error that says what to do, without a stack, which tells no more.
const missing = (text) => Object.assign(new Error(text), { stack: text });

function describe(name) {
  const folder = path.join(FOLDER, name);
  const executable = path.join(folder, 'bin', PROGRAM);
  if (!fs.existsSync(executable)) {
    throw missing(
      `${name}, a Node executable that the tests need, is not installed.\n` +
        'Install it with: npm ci --prefix test/nodes   (npm test does so by itself)',
    );
  }
  const { version } = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'));
  return { major: majorOf(name), version, path: executable };
}

const isForHere = (name) => name.endsWith(`-${PLATFORM}`);

function ownNode() {
  const { node: version } = process.versions;
  const args = process.versions.deno === undefined ? [] : ['run', '--allow-all', '--no-lock'];
  return { major: Number(version.split('.')[0]), version, path: process.execPath, args };
}

function otherNodes() {
  const names = Object.keys(optionalDependencies).filter(isForHere);
  if (names.length === 0) {
    throw missing(
      `The tests have no Node executables of other versions for ${PLATFORM}.\n` +
        'Where a package of them exists, name it in test/nodes/package.json.\n' +
        'TEST_NODES=own runs the tests without them.',
    );
  }
  const { TEST_NODES } = process.env;
  const wanted = TEST_NODES?.split(',').map(Number);
  const chosen = names.filter((name) => wanted === undefined || wanted.includes(majorOf(name)));
  if (chosen.length === 0) {
    throw new Error(`TEST_NODES=${TEST_NODES} names none of the Node versions here`);
  }
  return chosen.map(describe).sort((a, b) => a.major - b.major);
}

module.exports = process.env.TEST_NODES === 'own' ? [ownNode()] : otherNodes();
