'use strict';

// Owns the package as its users get it: the tarballs of the package and of binaries, made once by
// npm in a copy of the checkout, and folders in which they are installed.

const assert = require('node:assert/strict');
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { ROOT } = require('./programs.js');
const { fileOf, packageOf, platform } = require('../../lib/loading/binary.js');
const { SOURCES } = require('../../scripts/setup/addon.js');
const { npmCommand } = require('../../scripts/setup/npm.js');
const { folderOf } = require('../../scripts/setup/packages.js');

const PLATFORM = platform();
const MAIN = 'uv-scheduler';
const BINDING = packageOf(PLATFORM);
const BINARY = fileOf(PLATFORM);

// The files that packing needs and publishes. Tests are there to show that they are not published.
const TREE = [
  ...SOURCES, 'CHANGELOG.md', 'LICENSE', 'README.md', 'dist', 'docs', 'integrations', 'lib',
  'node_modules/.cache/uv-scheduler', 'node_modules/urlpattern-polyfill', 'package.json', 'scripts',
  'test/loading/loading.test.js',
];

const IN_ROOT = /\.(?:m?js|ts|node)$/;

// Copies what packing needs of the checkout, so that it never changes the package.json here.
function copyTree(folder) {
  const files = fs.readdirSync(ROOT).filter((name) => IN_ROOT.test(name));
  for (const name of [...TREE, ...files]) {
    const source = path.join(ROOT, name);
    if (fs.existsSync(source)) fs.cpSync(source, path.join(folder, name), { recursive: true });
  }
  // A junction needs no privilege on Windows.
  const linked = path.join('node_modules', 'esbuild');
  fs.symlinkSync(path.join(ROOT, linked), path.join(folder, linked), 'junction');
}

// Runs npm in a folder and returns how it ended.
function npm(args, { cwd, env = process.env }) {
  const [command, ...first] = npmCommand();
  return spawnSync(command, [...first, ...args], { cwd, env, encoding: 'utf8' });
}

// Packs the package of a folder and returns the path of its tarball.
function pack(cwd, target) {
  const args = ['pack', '--silent', '--pack-destination', target];
  const { status, stdout, stderr } = npm(args, { cwd });
  assert.equal(status, 0, stderr);
  return path.join(target, stdout.trim());
}

// Makes a copy of this platform's binary pass for those of other platforms.
function addBinaries(tree, platforms) {
  const program = `
    const { addBinary } = require('./scripts/setup/packages');
    const { sourcesHash } = require('./scripts/setup/addon');
    const names = ${JSON.stringify(platforms)};
    for (const name of names) addBinary(name, '${BINARY}', sourcesHash());`;
  const options = { cwd: tree, encoding: 'utf8' };
  const { status, stderr } = spawnSync(process.execPath, ['-e', program], options);
  assert.equal(status, 0, stderr);
}

function makeTarballs(others) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'uv-scheduler-packed-'));
  process.once('exit', () => fs.rmSync(folder, { recursive: true, force: true }));
  const tree = path.join(folder, 'tree');
  copyTree(tree);
  if (others.length > 0) addBinaries(tree, others);
  const result = { [MAIN]: pack(tree, folder) };
  for (const name of [PLATFORM, ...others]) {
    result[packageOf(name)] = pack(path.join(tree, path.relative(ROOT, folderOf(name))), folder);
  }
  return result;
}

const made = new Map();

// Returns the paths of the tarballs by the names of their packages: that of the package, and those
// of the binaries for this platform and for others.
function tarballs(others = []) {
  const key = others.join();
  if (!made.has(key)) made.set(key, makeTarballs(others));
  return made.get(key);
}

// Returns what the tar program prints.
function tar(args) {
  const { status, stdout, stderr } = spawnSync('tar', args, { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  return stdout;
}

// The paths of the files in a tarball.
function filesOf(tarball) {
  const lines = tar(['-tzf', tarball]).trim().split(/\r?\n/);
  return lines.map((line) => line.replace(/^package\//, ''));
}

const manifestOf = (tarball) => JSON.parse(tar(['-xzOf', tarball, 'package/package.json']));

function extract(tarball, target) {
  fs.mkdirSync(target, { recursive: true });
  tar(['-xzf', tarball, '--strip-components', '1', '-C', target]);
}

// Installs the package and its binary into a folder as npm would.
function install(folder) {
  for (const [name, tarball] of Object.entries(tarballs())) {
    extract(tarball, path.join(folder, 'node_modules', ...name.split('/')));
  }
}

module.exports = {
  BINARY, BINDING, MAIN, PLATFORM, copyTree, filesOf, install, manifestOf, npm, tarballs,
};
