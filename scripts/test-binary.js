'use strict';

// `npm run test:binary -- <platform>`: runs the JavaScript tests with this machine's own Node and
// the binary in npm/<platform>/, the file that is published, instead of one that is built here.

require('./setup/check-node');
const fs = require('node:fs');
const path = require('node:path');
const { ROOT, SetupError, runMain } = require('./setup/process');
const { prepare } = require('./setup');
const { binaryOf } = require('./setup/packages');
const { chooseTargets } = require('./setup/targets');
const { runMocha } = require('./mocha');
const { testFiles } = require('./test-files');

runMain(async () => {
  const [platform, ...rest] = process.argv.slice(2);
  if (platform === undefined) {
    throw new SetupError('Usage: npm run test:binary -- <platform> [mocha’s arguments]');
  }
  chooseTargets([platform]);
  const binary = binaryOf(platform);
  if (!fs.existsSync(binary)) {
    const file = path.relative(ROOT, binary);
    throw new SetupError(`There is no ${file}: run npm run build:all -- --only ${platform}`);
  }
  prepare({ needAddon: false });
  const env = { ...process.env, TEST_NODES: 'own', UV_SCHEDULER_BINARY: binary };
  const args = rest.length > 0 ? rest : testFiles();
  const { passed, failed } = await runMocha({ command: [process.execPath], env, args });
  process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
  return failed === 0 ? 0 : 1;
});
