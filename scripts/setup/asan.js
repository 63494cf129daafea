'use strict';

// Finds GCC's runtime library of AddressSanitizer, and installs it on Debian and its derivatives.
// rustc has only a static one, and an addon in an uninstrumented Node needs a library that can be
// preloaded. The two have the same interface.

const fs = require('node:fs');
const path = require('node:path');
const { SetupError, output, say } = require('./process');
const { install, refusal } = require('./debian');

// The compiler prints only the file's name if it has no such file.
function find() {
  const file = output('gcc', ['-print-file-name=libasan.so']);
  return file !== null && path.isAbsolute(file) ? fs.realpathSync(file) : null;
}

function help(reason) {
  return new SetupError(
    `AddressSanitizer's library, libasan.so, was not found, and ${reason}.\n` +
      'Install it, then run the same command again:\n' +
      '  Debian  sudo apt-get install gcc   (Ubuntu too)\n' +
      '  Fedora  sudo dnf install gcc libasan\n' +
      'It runs on Linux with glibc only.',
  );
}

// Returns the path of the library.
function prepare() {
  const found = find();
  if (found !== null) return found;
  const reason = process.platform === 'linux' ? refusal() : 'set-up cannot install it here';
  if (reason !== null) throw help(reason);
  say('installing AddressSanitizer (apt-get install gcc) …');
  if (!install('gcc')) throw help('apt-get could not install it; its own message is above');
  const installed = find();
  if (installed === null) throw help('the packages that apt-get installed do not hold it');
  return installed;
}

module.exports = { prepare };
