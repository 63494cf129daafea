'use strict';

// Installs system packages on Debian and its derivatives.

const fs = require('node:fs');
const path = require('node:path');
const { output, succeedsQuietly } = require('./process');

// Returns the reason why set-up cannot install packages here, or null.
function refusal({ mustBeRoot = true } = {}) {
  if (!fs.existsSync('/etc/debian_version') || output('apt-get', ['--version']) === null) {
    return 'set-up can install it on Debian and Ubuntu only';
  }
  return !mustBeRoot || process.getuid() === 0 ? null : 'set-up needs to be root to install it';
}

function aptGet(...args) {
  return aptGetIn(undefined, ...args);
}

function aptGetIn(cwd, ...args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const all = ['-o', 'DPkg::Lock::Timeout=120', ...args];
  return succeedsQuietly('apt-get', all, { env, ...(cwd === undefined ? {} : { cwd }) });
}

// Installs packages, and updates the package lists if that fails: the lists can be missing or
// older than the archive. Returns true on success.
function install(...packages) {
  const once = () => aptGet('install', '-y', '--no-install-recommends', ...packages);
  return once() || (aptGet('update') && once());
}

// Unpacks a package into an empty folder, without what it depends on, also for who is not root.
// Returns true on success.
function unpack(name, folder) {
  // The user that apt would download as cannot write into each folder.
  const user = process.getuid() === 0 ? ['-o', 'APT::Sandbox::User=root'] : [];
  const once = () => aptGetIn(folder, ...user, 'download', name);
  if (!once() && !(aptGet('update') && once())) return false;
  const archive = path.join(folder, fs.readdirSync(folder).find((each) => each.endsWith('.deb')));
  const isUnpacked = succeedsQuietly('dpkg-deb', ['--extract', archive, folder]);
  fs.rmSync(archive);
  return isUnpacked;
}

module.exports = { aptGet, install, refusal, unpack };
