'use strict';

// `npm run example -- <name>`: runs set-up, then starts an example. Without a name, it lists them.

require('./setup/check-node');
const path = require('node:path');
const { prepare } = require('./setup');
const examples = require('./setup/examples');
const { SetupError, runMain, runProgram } = require('./setup/process');

const NEXT = path.join('node_modules', 'next', 'dist', 'bin', 'next');

// What `npm start` runs in the folder. npm itself would not pass on SIGTERM.
const PROGRAMS = {
  next: [[NEXT, 'build'], [NEXT, 'start', '--hostname', '127.0.0.1']],
};

function chosen(name) {
  const names = examples.names();
  if (names.includes(name)) return name;
  const list = names.map((each) => `  npm run example -- ${each}`).join('\n');
  const what = name === undefined ? 'Name an example' : `There is no example ${name}`;
  throw new SetupError(`${what}. These are there:\n${list}`);
}

runMain(async () => {
  const name = chosen(process.argv[2]);
  prepare();
  examples.prepare(name);
  let code = 0;
  for (const args of PROGRAMS[name] ?? [['server.js']]) {
    code = await runProgram(process.execPath, args, { cwd: examples.folderOf(name) });
    if (code !== 0) break;
  }
  return code;
});
