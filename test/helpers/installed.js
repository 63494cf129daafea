'use strict';

// Finds what the tests of a folder here have installed in its node_modules, or says how to install
// it.

const fs = require('node:fs');
const path = require('node:path');

// Returns a function that takes the name of a program, for messages, and the parts of its path in
// node_modules of a folder, and returns the path.
function finder(folder) {
  const modules = path.join(__dirname, '..', 'ecosystem', folder, 'node_modules');
  return (name, ...parts) => {
    const file = path.join(modules, ...parts);
    if (fs.existsSync(file)) return file;
    throw new Error(
      `${name}, which the tests need, is not installed: there is no ${path.join(...parts)}.\n` +
        `Install it with: npm ci --prefix test/ecosystem/${folder} --ignore-scripts\n` +
        '(npm test -- --ecosystem does so by itself)',
    );
  };
}

module.exports = { finder };
