'use strict';

// `npm start`: runs set-up, then passes its arguments to the main job, the benchmark of the site;
// or to the site itself, with --serve. `npm start example NAME` starts an example instead, and
// `npm start fleet` two servers that take jobs, which find or install Redis.

require('./setup/check-node');
const path = require('node:path');
const { prepare } = require('./setup');
const examples = require('./setup/examples');
const { ROOT, checkName, runMain, runProgram } = require('./setup/process');

// `npm run bench site`, which sets up what it needs.
const measure = (args) =>
  runProgram(process.execPath, [path.join(__dirname, 'bench.js'), 'site', ...args]);

async function start(name, args) {
  await prepare();
  return runProgram(process.execPath, [path.join(ROOT, 'examples', name, 'main.js'), ...args]);
}

async function startExample([name]) {
  checkName('example', name, examples.names());
  await prepare();
  examples.checkNode(name);
  await examples.prepare(name);
  let code = 0;
  for (const args of examples.programsOf(name)) {
    code = await runProgram(process.execPath, args, { cwd: examples.folderOf(name) });
    if (code !== 0) break;
  }
  return code;
}

const PROGRAMS = { example: startExample, fleet: (args) => start('fleet', args) };

runMain((args) => {
  const [name, ...rest] = args;
  // Only options are for the main job.
  if (name === undefined || name.startsWith('-')) {
    return args.includes('--serve') ? start('docs-site', args) : measure(args);
  }
  checkName('program', name, Object.keys(PROGRAMS));
  return PROGRAMS[name](rest);
});
