'use strict';

// `npm run soak`: set-up, then every program of test/soak/, each in a process of its own:
// `node --expose-gc <file>`, which prints lines and ends with 0 or 1. `--node 20|22|24|26|all` runs
// them on Node versions of test/nodes instead of this one; `--only <name>` runs one program. It
// does not know what they measure.

require('./setup/check-node');
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { ROOT, SetupError, runMain, say } = require('./setup/process');
const { prepare } = require('./setup');

const FOLDER = path.join(ROOT, 'test', 'soak');

function readArguments(args) {
  const options = {};
  for (let index = 0; index < args.length; index += 2) {
    const [name, value] = [args[index], args[index + 1]];
    if (!['--node', '--only'].includes(name) || value === undefined) {
      throw new SetupError(
        `"${args.slice(index).join(' ')}" was not understood.\n` +
          'Usage: npm run soak -- [--node 20|22|24|26|all] [--only <program of test/soak>]',
      );
    }
    options[name.slice(2)] = value;
  }
  return options;
}

function choosePrograms(only) {
  const names = fs.readdirSync(FOLDER).filter((name) => name.endsWith('.js'));
  const wanted = only === undefined ? names : [`${path.parse(only).name}.js`];
  const chosen = names.filter((name) => wanted.includes(name));
  if (chosen.length > 0) return chosen.sort();
  throw new SetupError(`There is no program "${only}" in test/soak, only: ${names.join(', ')}`);
}

function chooseNodes(which) {
  if (which === undefined) return [{ version: process.versions.node, path: process.execPath }];
  const nodes = require(path.join(ROOT, 'test', 'nodes'));
  const chosen = nodes.filter(({ major }) => which === 'all' || String(major) === which);
  if (chosen.length > 0) return chosen;
  const majors = nodes.map(({ major }) => major).join(', ');
  throw new SetupError(`There is no Node ${which} in test/nodes, only: ${majors}`);
}

// Whether the program says that all is well.
function run(node, name) {
  const args = ['--expose-gc', path.join(FOLDER, name)];
  const { error, status, signal } = spawnSync(node.path, args, { stdio: 'inherit' });
  if (error) throw error;
  if (status === 0) return true;
  say(`${name} on Node ${node.version} ended with ${signal ?? `exit code ${status}`}`);
  return false;
}

runMain(() => {
  const { node: which, only } = readArguments(process.argv.slice(2));
  const names = choosePrograms(only);
  prepare({ needNodes: which !== undefined });
  const { HEADER } = require(path.join(ROOT, 'test', 'helpers-memory.js'));
  const failed = [];
  for (const node of chooseNodes(which)) {
    process.stdout.write(`\nNode ${node.version}, memory before, in the middle and at the end\n`);
    process.stdout.write(`${HEADER}\n`);
    for (const name of names) {
      if (!run(node, name)) failed.push(`${name} (Node ${node.version})`);
    }
  }
  say(failed.length === 0 ? 'memory stays flat' : `failed: ${failed.join('; ')}`);
  return failed.length === 0 ? 0 : 1;
});
