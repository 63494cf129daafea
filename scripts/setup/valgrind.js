'use strict';

// Owns valgrind: installs it on Debian and its kin. It does not know what is run under it.

const { SetupError, output, say } = require('./process');
const { aptGet, refusal } = require('./debian');

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

function install() {
  const packages = ['valgrind', 'libc6-dbg'];
  say(`installing valgrind (apt-get install ${packages.join(' ')}) …`);
  return aptGet('install', '-y', '--no-install-recommends', ...packages);
}

// Makes sure that valgrind is there.
function prepare() {
  if (isThere()) return;
  const reason = process.platform === 'linux' ? refusal() : 'set-up cannot install it here';
  if (reason !== null) throw help(reason);
  // The package lists are missing or older than the archive.
  if (!install() && !(aptGet('update') && install())) {
    throw help('apt-get could not install it; its own message is above');
  }
  if (!isThere()) throw help('the packages that apt-get installed do not hold it');
}

module.exports = { prepare };
