'use strict';

// The package.json of the package, where a package manager has installed it or a checkout built it.

const { readFileSync } = require('node:fs');
const { join } = require('node:path');

// Undefined if a bundler has moved this code: a bundle may be in any folder, and one of ES modules
// has no `__dirname`.
function ownManifest() {
  try {
    const manifest = JSON.parse(readFileSync(join(__dirname, '..', 'package.json'), 'utf8'));
    return manifest.name === 'uv-scheduler' ? manifest : undefined;
  } catch {
    return undefined;
  }
}

module.exports = { ownManifest };
