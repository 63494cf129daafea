'use strict';

// The files of JSON that flags write again and again.

const { lstatSync, renameSync, writeFileSync } = require('node:fs');
const path = require('node:path');

// A signal may end the process in the middle of a write, so the old file stays until the new one is
// complete. A device or a link is written to, and so is a file in a folder that is not writable.
function replaceFile(file, text) {
  if (lstatSync(file, { throwIfNoEntry: false })?.isFile() === false) {
    writeFileSync(file, text);
    return;
  }
  try {
    const made = path.join(path.dirname(file), `.${path.basename(file)}.new`);
    writeFileSync(made, text);
    renameSync(made, file);
  } catch {
    writeFileSync(file, text);
  }
}

module.exports = { replaceFile };
