'use strict';

// The hash of the sources, which tells stale binaries from current ones. A release builds binaries
// on several systems and compares their hashes on one of them.
// @host any

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { hashOf } = require('../../scripts/setup/addon.js');
const { useFolder } = require('../helpers/folders.js');

describe('the hash of files', () => {
  const inFolder = useFolder(beforeEach, afterEach);
  const hash = () => hashOf(inFolder(), ['src']);

  beforeEach(() => {
    fs.mkdirSync(inFolder('src', 'deep'), { recursive: true });
    fs.writeFileSync(inFolder('src', 'deep', 'a.rs'), 'a');
    fs.writeFileSync(inFolder('src', 'b.rs'), 'b');
  });

  // The same hash on every system.
  const HASH = '34507820b9769546fe69485128151aa4988b3fafc3636bf9732eb2aac5bdd7f9';

  it('is the same on every system, also where paths have backslashes', () => {
    assert.equal(hash(), HASH);
    const { relative, sep } = path;
    try {
      path.relative = (from, to) => relative(from, to).replaceAll(sep, '\\');
      path.sep = '\\';
      assert.equal(hash(), HASH);
    } finally {
      Object.assign(path, { relative, sep });
    }
  });

  it('is another one where a file was changed or renamed', () => {
    const before = hash();
    fs.renameSync(inFolder('src', 'b.rs'), inFolder('src', 'c.rs'));
    const renamed = hash();
    assert.notEqual(renamed, before);
    fs.writeFileSync(inFolder('src', 'c.rs'), 'c');
    assert.notEqual(hash(), renamed);
  });
});
