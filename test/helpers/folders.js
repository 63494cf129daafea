'use strict';

// Temporary folders of tests, and copies of the package in them.

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { ROOT } = require('./programs.js');

const make = () => fs.mkdtempSync(path.join(os.tmpdir(), 'uv-scheduler-'));
const remove = (folder) => fs.rmSync(folder, { recursive: true, force: true });

// Calls `work` with a new folder, and removes it when that has ended.
async function withFolder(work) {
  const folder = make();
  try {
    return await work(folder);
  } finally {
    remove(folder);
  }
}

// A folder for the tests of a suite, or for each of them with `beforeEach` and `afterEach`. Returns
// a function that joins names to its path.
function useFolder(begin = before, end = after) {
  let folder;
  begin(() => (folder = make()));
  end(() => remove(folder));
  return (...names) => path.join(folder, ...names);
}

// A copy of the package as npm installs it, without the package of its binary.
function copyPackage(folder) {
  for (const name of ['dist', 'package.json']) {
    fs.cpSync(path.join(ROOT, name), path.join(folder, name), { recursive: true });
  }
}

module.exports = { copyPackage, useFolder, withFolder };
