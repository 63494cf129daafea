'use strict';

// `npm run build`: runs only set-up, including the build of the addon. With --all it builds the
// binaries of all platforms, and with --only, which can be repeated, those of some.

require('./setup/check-node');
const { buildBinaries } = require('./build-binaries');
const { prepare } = require('./setup');
const { readArguments, usageError } = require('./setup/arguments');
const { runMain, say } = require('./setup/process');

const USAGE = 'npm run build -- [--all | --only PLATFORM …]';

runMain(async () => {
  const options = { all: { type: 'boolean' }, only: { type: 'string', multiple: true } };
  const { all, only, names } = readArguments(process.argv.slice(2), USAGE, options);
  if (names.length > 0) throw usageError(`There is no "${names[0]}" to build`, USAGE);
  if (all || only !== undefined) return (await buildBinaries(only)) ? 0 : 1;
  await prepare();
  say('ready');
  return 0;
});
