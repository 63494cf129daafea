'use strict';

// Finds valgrind, and installs it on Debian and its derivatives.

const { SetupError, output, say } = require('./process');
const { install, refusal } = require('./debian');

const PACKAGES = ['valgrind', 'libc6-dbg'];

function isThere() {
  return output('valgrind', ['--version']) !== null;
}

function help(reason) {
  return new SetupError(
    `valgrind was not found, and ${reason}.\n` +
      'Install it, then run the same command again:\n' +
      '  Debian  sudo apt-get install valgrind libc6-dbg   (Ubuntu too)\n' +
      '  Fedora  sudo dnf install valgrind\n' +
      'On Windows, and on macOS with Apple silicon, there is none.',
  );
}

// Makes sure that valgrind is installed.
function prepare() {
  if (isThere()) return;
  const reason = process.platform === 'linux' ? refusal() : 'set-up cannot install it here';
  if (reason !== null) throw help(reason);
  say(`installing valgrind (apt-get install ${PACKAGES.join(' ')}) …`);
  if (!install(...PACKAGES)) {
    throw help('apt-get could not install it; its own message is above');
  }
  if (!isThere()) throw help('the packages that apt-get installed do not hold it');
}

module.exports = { prepare };
