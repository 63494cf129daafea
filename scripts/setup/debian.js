'use strict';

// Owns the installing of system packages, which set-up can do on Debian and its kin. It does not
// know what they are for.

const fs = require('node:fs');
const { output, succeedsQuietly } = require('./process');

// Why set-up cannot install packages here, or null.
function refusal() {
  if (!fs.existsSync('/etc/debian_version') || output('apt-get', ['--version']) === null) {
    return 'set-up can install it on Debian and Ubuntu only';
  }
  return process.getuid() === 0 ? null : 'set-up needs to be root to install it';
}

function aptGet(...args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return succeedsQuietly('apt-get', ['-o', 'DPkg::Lock::Timeout=120', ...args], { env });
}

// Installs packages, with new package lists if those that are there do not suffice: they can be
// missing, or older than the archive. True when it succeeded.
function install(...packages) {
  const once = () => aptGet('install', '-y', '--no-install-recommends', ...packages);
  return once() || (aptGet('update') && once());
}

module.exports = { aptGet, install, refusal };
