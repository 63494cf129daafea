'use strict';

// `npm run check soak`: runs set-up, then every program of test/soak/, each in a process of its
// own: `node --expose-gc <file>`, which prints lines and exits with 0 or 1.

const path = require('node:path');
const { ROOT } = require('../setup/process');
const { choosePrograms, endsWell, readChoice, runJobs } = require('../setup/programs');
const { prepare } = require('../setup');

module.exports = async (args) => {
  const { node: which, only } = readChoice('soak', args);
  const jobs = choosePrograms(path.join(ROOT, 'test', 'soak'), only);
  await prepare({ needNodes: which !== undefined });
  const { HEADER } = require(path.join(ROOT, 'test', 'helpers', 'memory.js'));
  return runJobs(which, jobs, {
    begin({ version }) {
      process.stdout.write(`\nNode ${version}, memory before, in the middle and at the end\n`);
      process.stdout.write(`${HEADER}\n`);
    },
    run: ({ file }, node, name) => endsWell(name, node.path, ['--expose-gc', file]),
    praise: 'memory stays flat',
  });
};
