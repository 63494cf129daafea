'use strict';

// Answers "did anything change?" by content, not by time: a fresh clone gives every file the same
// new time. It hashes files and folders; it does not know what they mean.

const { createHash } = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');

// All files under a file or folder, in a fixed order; none when it does not exist.
function filesUnder(place) {
  const stat = fs.statSync(place, { throwIfNoEntry: false });
  if (!stat) return [];
  if (!stat.isDirectory()) return [place];
  return fs
    .readdirSync(place)
    .sort()
    .flatMap((name) => filesUnder(path.join(place, name)));
}

// One hash over names and contents of everything under the places, which are relative to root.
function hashOf(root, places, extra = '') {
  const hash = createHash('sha256').update(extra);
  for (const place of places) {
    for (const file of filesUnder(path.join(root, place))) {
      const content = fs.readFileSync(file);
      hash.update(`\0${path.relative(root, file)}\0${content.length}\0`).update(content);
    }
  }
  return hash.digest('hex');
}

module.exports = { hashOf };
