'use strict';

// Reads the arguments that scripts share if they run a folder of programs: `--node
// 20|22|24|26|all` for Node versions of test/nodes instead of this one, and `--only PROGRAM`. It
// returns the chosen programs and Node versions.

const fs = require('node:fs');
const path = require('node:path');
const { readArguments } = require('./arguments');
const { ROOT, SetupError } = require('./process');

function readChoice(check, args) {
  const string = { type: 'string' };
  const usage = `npm run check ${check} -- [--node 20|22|24|26|all] [--only PROGRAM]`;
  return readArguments(args, usage, { node: string, only: string });
}

// Returns the files of a folder, each a program.
function choosePrograms(folder, only) {
  const names = fs.readdirSync(folder).filter((name) => name.endsWith('.js')).sort();
  const wanted = only === undefined ? names : [`${path.parse(only).name}.js`];
  const chosen = names.filter((name) => wanted.includes(name));
  if (chosen.length > 0) return chosen.map((name) => path.join(folder, name));
  const place = path.relative(ROOT, folder);
  throw new SetupError(`There is no program "${only}" in ${place}, only: ${names.join(', ')}`);
}

// Set-up must have installed the versions in test/nodes.
function chooseNodes(which) {
  if (which === undefined) return [{ version: process.versions.node, path: process.execPath }];
  const nodes = require(path.join(ROOT, 'test', 'nodes'));
  const chosen = nodes.filter(({ major }) => which === 'all' || String(major) === which);
  if (chosen.length > 0) return chosen;
  const majors = nodes.map(({ major }) => major).join(', ');
  throw new SetupError(`There is no Node ${which} in test/nodes, only: ${majors}`);
}

module.exports = { chooseNodes, choosePrograms, readChoice };
