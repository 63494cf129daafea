'use strict';

// `npm run pack`: runs set-up, then packs the package and the packages of all binaries that are
// built, into target/npm/. These are the files that a release publishes.
//
// npm runs this file, too, before it packs or publishes the package (--before), and afterwards
// (--after): it refuses a checkout that is not built, and adds the packages of the binaries to
// package.json as optional dependencies, until the package is packed. To publish, and if
// UV_SCHEDULER_RELEASE is set, the binaries of all platforms must be there.

require('./setup/check-node');
const fs = require('node:fs');
const path = require('node:path');
const { PLATFORMS } = require('../lib/loading/binary.js');
const { prepare } = require('./setup');
const addon = require('./setup/addon');
const bundle = require('./setup/bundle');
const packages = require('./setup/packages');
const { ROOT, SetupError, runMain, say } = require('./setup/process');

const TARGET = path.join(ROOT, 'target', 'npm');

function checkAllAreBuilt() {
  const built = packages.built();
  const missing = PLATFORMS.filter((name) => !built.includes(name));
  if (missing.length === 0) return;
  throw new SetupError(
    `The package cannot be published without binaries for ${missing.join(', ')}.\n` +
      'Build them with: npm run build -- --all',
  );
}

function beforePacking() {
  if (!bundle.isCurrent() || !addon.isCurrent()) {
    throw new SetupError('The package is not built. Build it with: npm run build');
  }
  const isRelease = process.env.npm_command === 'publish' || process.env.UV_SCHEDULER_RELEASE;
  if (isRelease) checkAllAreBuilt();
  else packages.addOwnBinary();
  const built = packages.built();
  for (const name of built) packages.makePackage(name);
  packages.writeDependencies(built);
}

function packFolder(folder) {
  if (packages.pack(folder, TARGET)) return;
  throw new SetupError(`npm could not pack ${path.relative(ROOT, folder) || 'the package'}.`);
}

async function packAll() {
  await prepare();
  fs.rmSync(TARGET, { recursive: true, force: true });
  fs.mkdirSync(TARGET, { recursive: true });
  packFolder(ROOT);
  for (const name of packages.built()) packFolder(packages.folderOf(name));
  const files = fs.readdirSync(TARGET);
  for (const file of files) {
    const { size } = fs.statSync(path.join(TARGET, file));
    process.stdout.write(`${file}  ${(size / 1024).toFixed(0)} KB\n`);
  }
  say(`packed ${files.length} packages into target/npm/`);
}

runMain(async ([when]) => {
  if (when === undefined) await packAll();
  // npm runs these around `npm run pack`, too, which packs with npm itself.
  else if (process.env.npm_command?.startsWith('run')) return 0;
  else if (when === '--after') packages.writeDependencies([]);
  else beforePacking();
  return 0;
});
