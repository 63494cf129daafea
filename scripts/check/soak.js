'use strict';

// `npm run check soak`: runs set-up, then every program of test/soak/, each in a process of its
// own: `node --expose-gc <file>`, which prints lines and exits with 0 or 1.

const { spawnSync } = require('node:child_process');
const path = require('node:path');
const { ROOT, say } = require('../setup/process');
const { chooseNodes, choosePrograms, readChoice } = require('../setup/programs');
const { prepare } = require('../setup');

// Returns true if the program succeeded.
function run(node, file) {
  const { error, status, signal } =
    spawnSync(node.path, ['--expose-gc', file], { stdio: 'inherit' });
  if (error) throw error;
  if (status === 0) return true;
  const name = path.basename(file);
  say(`${name} on Node ${node.version} ended with ${signal ?? `exit code ${status}`}`);
  return false;
}

module.exports = async (args) => {
  const { node: which, only } = readChoice('soak', args);
  const files = choosePrograms(path.join(ROOT, 'test', 'soak'), only);
  await prepare({ needNodes: which !== undefined });
  const { HEADER } = require(path.join(ROOT, 'test', 'helpers', 'memory.js'));
  const failed = [];
  for (const node of chooseNodes(which)) {
    process.stdout.write(`\nNode ${node.version}, memory before, in the middle and at the end\n`);
    process.stdout.write(`${HEADER}\n`);
    for (const file of files) {
      if (!run(node, file)) failed.push(`${path.basename(file)} (Node ${node.version})`);
    }
  }
  say(failed.length === 0 ? 'memory stays flat' : `failed: ${failed.join('; ')}`);
  return failed.length === 0 ? 0 : 1;
};
