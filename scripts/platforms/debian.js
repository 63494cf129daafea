'use strict';

// A Debian system in a folder, newer than the one of this machine may be: it has the Wine and the
// musl that current Nodes need. Wine 8 cannot start Node 24, and musl 1.2.3 crashes with it.

const fs = require('node:fs');
const path = require('node:path');
const { ROOT, SetupError, say, succeedsQuietly } = require('../setup/process');
const system = require('../setup/system');

const PLATFORMS = path.join(ROOT, 'target', 'platforms');

const RELEASE = 'trixie';
const SYSTEM = path.join(PLATFORMS, RELEASE);
const STAMP = path.join(SYSTEM, 'installed');
const PACKAGES = ['wine', 'wine64', 'musl', 'ca-certificates'];

// Makes the system, and returns its folder.
function prepareSystem() {
  if (fs.existsSync(STAMP)) return SYSTEM;
  if (process.getuid() !== 0) {
    throw new SetupError('Only root can make a Debian system in a folder.');
  }
  system.prepare('debootstrap');
  say(`installing Debian with Wine into ${path.relative(ROOT, SYSTEM)} (debootstrap) …`);
  fs.rmSync(SYSTEM, { recursive: true, force: true });
  fs.mkdirSync(PLATFORMS, { recursive: true });
  const args = ['--variant=minbase', `--include=${PACKAGES.join()}`, RELEASE, SYSTEM];
  if (!succeedsQuietly('debootstrap', args)) throw new SetupError('debootstrap failed.');
  // Without it Wine's localhost has no address.
  fs.writeFileSync(path.join(SYSTEM, 'etc', 'hosts'), '127.0.0.1 localhost\n');
  fs.writeFileSync(STAMP, `${PACKAGES.join('\n')}\n`);
  return SYSTEM;
}

// Unpacks a package of the system for an architecture into a folder.
function unpack(name, architecture, folder) {
  const root = prepareSystem();
  const work = fs.mkdtempSync(path.join(root, 'tmp', 'package-'));
  const inside = path.join('/', path.relative(root, work));
  const steps = [
    `dpkg --add-architecture ${architecture}`,
    'apt-get update --quiet',
    `cd ${inside}`,
    // The user that apt would download as cannot write here.
    `apt-get -o APT::Sandbox::User=root download ${name}:${architecture}`,
  ];
  try {
    const isLoaded = succeedsQuietly('chroot', [root, 'sh', '-c', steps.join(' && ')]);
    const file = fs.readdirSync(work).find((each) => each.endsWith('.deb'));
    if (!isLoaded || file === undefined) throw new SetupError(`apt-get got no ${name}.`);
    if (!succeedsQuietly('dpkg-deb', ['--extract', path.join(work, file), folder])) {
      throw new SetupError(`dpkg-deb could not unpack ${file}.`);
    }
  } finally {
    fs.rmSync(work, { recursive: true, force: true });
  }
}

module.exports = { PLATFORMS, prepareSystem, unpack };
