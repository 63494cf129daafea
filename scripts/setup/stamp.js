'use strict';

// Hashes files and folders to detect changes. It compares contents because a fresh clone gives
// every file the same new modification time.

const { createHash } = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');

// Returns all files under a file or folder in a fixed order, or none if it does not exist.
function filesUnder(place) {
  const stat = fs.statSync(place, { throwIfNoEntry: false });
  if (!stat) return [];
  if (!stat.isDirectory()) return [place];
  return fs
    .readdirSync(place)
    .sort()
    .flatMap((name) => filesUnder(path.join(place, name)));
}

// Returns one hash of the names and contents of all files under the places, relative to root. It is
// the same on every system: binaries are built on some, and packed on another.
function hashOf(root, places, extra = '') {
  const hash = createHash('sha256').update(extra);
  for (const place of places) {
    for (const file of filesUnder(path.join(root, place))) {
      const content = fs.readFileSync(file);
      const name = path.relative(root, file).replaceAll(path.sep, '/');
      hash.update(`\0${name}\0${content.length}\0`).update(content);
    }
  }
  return hash.digest('hex');
}

module.exports = { hashOf };
