'use strict';

// `npm run check soak`: runs set-up, then every program of test/soak/, each in a process of its
// own: `node --expose-gc <file>`, which prints lines and exits with 0 or 1.

const path = require('node:path');
const { ROOT, succeeds } = require('../setup/process');
const { runPrograms } = require('../setup/programs');

module.exports = (args) => runPrograms('soak', args, {
  begin({ version }) {
    // It needs what set-up installs.
    const { HEADER } = require(path.join(ROOT, 'test', 'helpers', 'memory.js'));
    process.stdout.write(`\nNode ${version}, memory before, in the middle and at the end\n`);
    process.stdout.write(`${HEADER}\n`);
  },
  run: ({ args: program, node }) => succeeds(node.path, ['--expose-gc', ...program]),
  praise: 'memory stays flat',
});
