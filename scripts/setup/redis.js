'use strict';

// Finds Redis, and installs it on Debian and its derivatives. The service that the package may
// start there is left alone: the tests and the example start servers of their own.

const { SetupError, output, say } = require('./process');
const { install, refusal } = require('./debian');

const PROGRAM = 'redis-server';

function isThere() {
  return output(PROGRAM, ['--version']) !== null;
}

function help(reason) {
  return new SetupError(
    `${PROGRAM} was not found, and ${reason}.\n` +
      'Install it, then run the same command again:\n' +
      '  Debian  sudo apt-get install redis-server   (Ubuntu too)\n' +
      '  Fedora  sudo dnf install redis\n' +
      '  macOS   brew install redis\n' +
      'On Windows, run this in the Windows Subsystem for Linux.',
  );
}

// Makes sure that Redis is installed, and returns the name of its program.
function prepare() {
  if (isThere()) return PROGRAM;
  const reason = process.platform === 'linux' ? refusal() : 'set-up cannot install it here';
  if (reason !== null) throw help(reason);
  say(`installing Redis (apt-get install ${PROGRAM}) …`);
  if (!install(PROGRAM)) throw help('apt-get could not install it; its own message is above');
  if (!isThere()) throw help('the package that apt-get installed does not hold it');
  return PROGRAM;
}

module.exports = { prepare };
