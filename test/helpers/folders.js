'use strict';

// Temporary folders of tests.

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

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

module.exports = { useFolder, withFolder };
