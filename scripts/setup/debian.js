'use strict';

// Installs system packages on Debian and its derivatives.

const fs = require('node:fs');
const { output, succeedsQuietly } = require('./process');

// Returns the reason why set-up cannot install packages here, or null.
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

// Installs packages, and updates the package lists if that fails: the lists can be missing or
// older than the archive. Returns true on success.
function install(...packages) {
  const once = () => aptGet('install', '-y', '--no-install-recommends', ...packages);
  return once() || (aptGet('update') && once());
}

module.exports = { aptGet, install, refusal };
