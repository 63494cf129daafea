'use strict';

// `npm run example -- <name>`: runs set-up, then starts an example. Without a name, it lists them.

require('./setup/check-node');
const { prepare } = require('./setup');
const examples = require('./setup/examples');
const { SetupError, runMain, runProgram } = require('./setup/process');

function chosen(name) {
  const names = examples.names();
  if (names.includes(name)) return name;
  const list = names.map((each) => `  npm run example -- ${each}`).join('\n');
  const what = name === undefined ? 'Name an example' : `There is no example ${name}`;
  throw new SetupError(`${what}. These are there:\n${list}`);
}

runMain(async () => {
  const name = chosen(process.argv[2]);
  examples.checkNode(name);
  prepare();
  examples.prepare(name);
  let code = 0;
  for (const args of examples.programsOf(name)) {
    code = await runProgram(process.execPath, args, { cwd: examples.folderOf(name) });
    if (code !== 0) break;
  }
  return code;
});
