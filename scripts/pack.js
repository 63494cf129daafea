'use strict';

// `npm run pack`: runs set-up, then packs the package and the packages of all binaries that are
// built, into target/npm/. These are the files that a release publishes.

require('./setup/check-node');
const fs = require('node:fs');
const path = require('node:path');
const { ROOT, SetupError, runMain, say } = require('./setup/process');
const { prepare } = require('./setup');
const { built, folderOf, pack } = require('./setup/packages');

const TARGET = path.join(ROOT, 'target', 'npm');

function packFolder(folder) {
  if (pack(folder, TARGET)) return;
  throw new SetupError(`npm could not pack ${path.relative(ROOT, folder) || 'the package'}.`);
}

runMain(async () => {
  await prepare();
  fs.rmSync(TARGET, { recursive: true, force: true });
  fs.mkdirSync(TARGET, { recursive: true });
  packFolder(ROOT);
  for (const name of built()) packFolder(folderOf(name));
  const files = fs.readdirSync(TARGET);
  for (const file of files) {
    const { size } = fs.statSync(path.join(TARGET, file));
    process.stdout.write(`${file}  ${(size / 1024).toFixed(0)} KB\n`);
  }
  say(`packed ${files.length} packages into target/npm/`);
  return 0;
});
