'use strict';

// Copies of the checkout, for commands that change files which must stay as they are here.

const fs = require('node:fs');
const path = require('node:path');
const { ROOT, SetupError, output } = require('./process');

// The files that set-up has built, with the stamps that say so.
const isBuilt = (file) => /^(?:[^/]+\.node|dist\/core\.wasm.*)$/.test(file);
const STAMP = 'node_modules/.cache/uv-scheduler/addon.json';

// The files of the checkout as they are, also those that no commit has yet.
function sources() {
  const listed = output('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard']);
  if (listed === null) throw new SetupError('git could not list the files of the checkout.');
  const files = listed.split('\0').filter(Boolean);
  const built = [...fs.readdirSync(ROOT), ...fs.readdirSync(path.join(ROOT, 'dist'))
    .map((name) => `dist/${name}`)].filter(isBuilt);
  return [...files, ...built, STAMP].filter((file) => fs.existsSync(path.join(ROOT, file)));
}

// Makes the folder a copy, which has no packages. Returns its files.
function copySources(folder) {
  fs.rmSync(folder, { recursive: true, force: true });
  const files = sources();
  for (const file of files) fs.cpSync(path.join(ROOT, file), path.join(folder, file));
  return files;
}

module.exports = { copySources };
