'use strict';

// Finds programs and libraries of the system that set-up cannot bring along, and installs them on
// Debian and the like. A service that a package may start is left alone: tests start their own.

const fs = require('node:fs');
const path = require('node:path');
const { ROOT, SetupError, output, say, succeeds } = require('./process');

const isThere = (program) => output(program, ['--version']) !== null;
const program = (...names) => () => names.find(isThere);

// Where Debian keeps the libraries of another machine.
const ARM64 = '/usr/aarch64-linux-gnu';

const PROMETHEUS = path.join(ROOT, 'target', 'prometheus');

// The compiler prints only the file's name if it has no such file.
function findLibasan() {
  const file = output('gcc', ['-print-file-name=libasan.so']);
  return file !== null && path.isAbsolute(file) ? fs.realpathSync(file) : undefined;
}

// The paths of both programs, as the system finds them or unpacked.
function findPrometheus() {
  return ['', `${PROMETHEUS}/usr/bin/`]
    .map((place) => ({ prometheus: `${place}prometheus`, promtool: `${place}promtool` }))
    .find((programs) => Object.values(programs).every(isThere));
}

// `find` returns what is there, or undefined; `others` says how to get it elsewhere. A package with
// a `folder` is unpacked there, without what it depends on, which takes no root.
const PROGRAMS = {
  redis: {
    title: 'Redis',
    find: program('redis-server'),
    packages: ['redis-server'],
    others: [
      '  Fedora  sudo dnf install redis',
      '  macOS   brew install redis',
      'On Windows, run this in the Windows Subsystem for Linux.',
    ],
  },
  chromium: {
    title: 'Chromium',
    find: program('chromium', 'chromium-browser', 'google-chrome'),
    packages: ['chromium'],
    others: ['  Fedora  sudo dnf install chromium'],
  },
  valgrind: {
    title: 'valgrind',
    find: program('valgrind'),
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
  prometheus: {
    title: 'Prometheus, with promtool,',
    find: findPrometheus,
    packages: ['prometheus'],
    folder: PROMETHEUS,
    others: ['  macOS   brew install prometheus', 'Others: https://prometheus.io/download'],
  },
  python: {
    title: 'Python 3 with venv and pip',
    find: () => output('python3', ['-c', 'import venv, ensurepip; print("python3")']) ?? undefined,
    packages: ['python3-venv'],
    others: ['  Fedora  sudo dnf install python3', '  macOS   xcode-select --install'],
  },
  qemu: {
    title: 'QEMU for arm64', find: program('qemu-aarch64-static'), packages: ['qemu-user-static'],
  },
  arm64: {
    title: 'the C library for arm64',
    find: () => (fs.existsSync(`${ARM64}/lib/libatomic.so.1`) ? ARM64 : undefined),
    packages: ['libc6', 'libstdc++6', 'libatomic1', 'libgcc-s1']
      .map((name) => `${name}-arm64-cross`),
  },
  debootstrap: {
    title: 'debootstrap', find: program('debootstrap'), packages: ['debootstrap'],
  },
};

// Returns the reason why set-up cannot install packages here, or null.
function refusal(folder) {
  if (!fs.existsSync('/etc/debian_version') || output('apt-get', ['--version']) === null) {
    return 'set-up can install it on Debian and Ubuntu only';
  }
  const mayInstall = folder !== undefined || process.getuid() === 0;
  return mayInstall ? null : 'set-up needs to be root to install it';
}

// Runs apt-get, and again with new package lists if it fails: they can be missing or too old.
function aptGet(args, cwd = ROOT) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const run = (...words) => succeeds(
    'apt-get', ['-o', 'DPkg::Lock::Timeout=120', ...words], { cwd, env, isQuiet: true });
  return run(...args) || (run('update') && run(...args));
}

function unpack(name, folder) {
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  // The user that apt would download as cannot write into each folder.
  const user = process.getuid() === 0 ? ['-o', 'APT::Sandbox::User=root'] : [];
  if (!aptGet([...user, 'download', name], folder)) return false;
  const archive = path.join(folder, fs.readdirSync(folder).find((each) => each.endsWith('.deb')));
  const isUnpacked = succeeds('dpkg-deb', ['--extract', archive, folder], { isQuiet: true });
  fs.rmSync(archive);
  return isUnpacked;
}

// Makes sure that a program of this form is installed, and returns what `find` does.
function provide({ title, find: look, packages, folder, others = [] }) {
  const found = look();
  if (found !== undefined) return found;
  const help = (reason) => new SetupError([
    `${title} was not found, and ${reason}.`,
    'Install it, then run the same command again:',
    `  Debian  sudo apt-get install ${packages.join(' ')}   (Ubuntu too)`,
    ...others,
  ].join('\n'));
  const reason = refusal(folder);
  if (reason !== null) throw help(reason);
  say(`installing ${title} (apt-get, ${packages.join(' ')}) …`);
  const isDone = folder === undefined
    ? aptGet(['install', '-y', '--no-install-recommends', ...packages])
    : unpack(packages[0], folder);
  if (!isDone) throw help('apt-get could not install it; its own message is above');
  const installed = look();
  if (installed === undefined) throw help('the packages that apt-get installed do not hold it');
  return installed;
}

// Returns what is found, or undefined.
const find = (name) => PROGRAMS[name].find();

// Makes sure that it is installed. Returns the program's name, or the paths of what was found.
const prepare = (name) => provide(PROGRAMS[name]);

module.exports = { find, prepare, provide };
