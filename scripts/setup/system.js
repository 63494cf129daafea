'use strict';

// Finds programs of the system that set-up cannot bring along, and installs them on Debian and its
// derivatives. A service that a package may start there is left alone: tests and examples start
// servers of their own.

const fs = require('node:fs');
const path = require('node:path');
const { install, refusal } = require('./debian');
const { SetupError, output, say } = require('./process');

const isThere = (program) => output(program, ['--version']) !== null;

// The compiler prints only the file's name if it has no such file.
function findLibasan() {
  const file = output('gcc', ['-print-file-name=libasan.so']);
  return file !== null && path.isAbsolute(file) ? fs.realpathSync(file) : undefined;
}

// `find` returns what is there, or undefined; `others` says how to get it elsewhere.
const PROGRAMS = {
  redis: {
    title: 'Redis',
    find: () => ['redis-server'].find(isThere),
    packages: ['redis-server'],
    others: [
      '  Fedora  sudo dnf install redis',
      '  macOS   brew install redis',
      'On Windows, run this in the Windows Subsystem for Linux.',
    ],
  },
  chromium: {
    title: 'Chromium',
    find: () => ['chromium', 'chromium-browser', 'google-chrome'].find(isThere),
    packages: ['chromium'],
    others: ['  Fedora  sudo dnf install chromium'],
  },
  valgrind: {
    title: 'valgrind',
    find: () => ['valgrind'].find(isThere),
    packages: ['valgrind', 'libc6-dbg'],
    others: [
      '  Fedora  sudo dnf install valgrind',
      'On Windows, and on macOS with Apple silicon, there is none.',
    ],
  },
  // rustc has only a static library of it, and an addon in a Node without instruments needs one
  // that can be preloaded. The two have the same interface.
  asan: {
    title: 'AddressSanitizer\'s library, libasan.so,',
    find: findLibasan,
    packages: ['gcc'],
    others: ['  Fedora  sudo dnf install gcc libasan', 'It runs on Linux with glibc only.'],
  },
};

// Returns what is found, or undefined.
const find = (name) => PROGRAMS[name].find();

// Makes sure that it is installed. Returns the program's name, or the library's path.
function prepare(name) {
  const found = find(name);
  if (found !== undefined) return found;
  const { title, packages, others } = PROGRAMS[name];
  const help = (reason) => new SetupError([
    `${title} was not found, and ${reason}.`,
    'Install it, then run the same command again:',
    `  Debian  sudo apt-get install ${packages.join(' ')}   (Ubuntu too)`,
    ...others,
  ].join('\n'));
  const reason = process.platform === 'linux' ? refusal() : 'set-up cannot install it here';
  if (reason !== null) throw help(reason);
  say(`installing ${title} (apt-get install ${packages.join(' ')}) …`);
  if (!install(...packages)) throw help('apt-get could not install it; its own message is above');
  const installed = find(name);
  if (installed === undefined) throw help('the packages that apt-get installed do not hold it');
  return installed;
}

module.exports = { find, prepare };
