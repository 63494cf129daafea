'use strict';

// What npm runs before it packs or publishes the package: refuses a checkout that is not built, and
// adds the packages of the binaries to package.json as optional dependencies. With --undo, as npm
// runs it afterwards, it removes them again. To publish, and if UV_SCHEDULER_RELEASE is set, the
// binaries of all platforms must be there.

const { PLATFORMS } = require('../lib/loading/binary.js');
const addon = require('./setup/addon');
const bundle = require('./setup/bundle');
const packages = require('./setup/packages');
const { SetupError, runMain } = require('./setup/process');

function checkAllAreBuilt() {
  const built = packages.built();
  const missing = PLATFORMS.filter((name) => !built.includes(name));
  if (missing.length === 0) return;
  throw new SetupError(
    `The package cannot be published without binaries for ${missing.join(', ')}.\n` +
      'Build them with: npm run build -- --all',
  );
}

function prepack() {
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

runMain(() => {
  // npm runs this around `npm run pack`, too, which packs with npm itself.
  if (process.env.npm_command?.startsWith('run')) return 0;
  if (process.argv[2] === '--undo') packages.writeDependencies([]);
  else prepack();
  return 0;
});
