'use strict';

// Finds Chromium, which the tests of the ecosystem drive, and installs it on Debian and its
// derivatives.

const { SetupError, output, say } = require('./process');
const { install, refusal } = require('./debian');

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

// Returns the name of the program, or undefined.
function find() {
  return NAMES.find((name) => output(name, ['--version']) !== null);
}

function help(reason) {
  return new SetupError(
    `Chromium was not found, and ${reason}.\n` +
      'Install it, then run the same command again:\n' +
      '  Debian  sudo apt-get install chromium\n' +
      '  Fedora  sudo dnf install chromium',
  );
}

// Makes sure that it is installed.
function prepare() {
  if (find() !== undefined) return;
  const reason = process.platform === 'linux' ? refusal() : 'set-up cannot install it here';
  if (reason !== null) throw help(reason);
  say('installing Chromium (apt-get install chromium) …');
  if (!install('chromium')) throw help('apt-get could not install it; its own message is above');
  if (find() === undefined) throw help('the package that apt-get installed does not hold it');
}

module.exports = { find, prepare };
