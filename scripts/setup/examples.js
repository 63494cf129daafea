'use strict';

// Sets up the folders of examples/ that have packages of their own. Each depends on the package of
// the checkout, which npm links.

const fs = require('node:fs');
const path = require('node:path');
const { fileOf, platform } = require('../../lib/loading/binary.js');
const npm = require('./npm');
const { ROOT } = require('./process');

const EXAMPLES = path.join(ROOT, 'examples');

// Next.js follows no link out of the application.
const COPIES = ['next'];

const folderOf = (name) => path.join(EXAMPLES, name);

function names() {
  const entries = fs.readdirSync(EXAMPLES);
  return entries.filter((name) => fs.existsSync(path.join(folderOf(name), 'package.json')));
}

// Puts what the package publishes into a folder, and the binary of this platform.
function copyPackage(target) {
  fs.rmSync(target, { recursive: true, force: true });
  const { files } = npm.readJson(path.join(ROOT, 'package.json'));
  for (const name of ['package.json', ...files, fileOf(platform())]) {
    fs.cpSync(path.join(ROOT, name), path.join(target, name), { recursive: true });
  }
}

// Installs the packages of an example. The package itself must be built.
function prepare(name) {
  const folder = folderOf(name);
  npm.install(folder, `packages for examples/${name}`);
  if (COPIES.includes(name)) copyPackage(path.join(folder, 'node_modules', 'uv-scheduler'));
}

module.exports = { folderOf, names, prepare };
