'use strict';

// The hash of the sources, which tells stale binaries from current ones. A release builds binaries
// on several systems and compares their hashes on one of them.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { hashOf } = require('../../scripts/setup/addon.js');

describe('the hash of files', () => {
  let root;

  beforeEach(() => {
    root = fs.mkdtempSync(path.join(os.tmpdir(), 'uv-scheduler-stamp-'));
    fs.mkdirSync(path.join(root, 'src', 'deep'), { recursive: true });
    fs.writeFileSync(path.join(root, 'src', 'deep', 'a.rs'), 'a');
    fs.writeFileSync(path.join(root, 'src', 'b.rs'), 'b');
  });

  afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

  // The same hash on every system.
  const HASH = '34507820b9769546fe69485128151aa4988b3fafc3636bf9732eb2aac5bdd7f9';

  it('is the same on every system', () => {
    assert.equal(hashOf(root, ['src']), HASH);
  });

  it('is the same where paths have backslashes', () => {
    const { relative, sep } = path;
    try {
      path.relative = (from, to) => relative(from, to).replaceAll(sep, '\\');
      path.sep = '\\';
      assert.equal(hashOf(root, ['src']), HASH);
    } finally {
      Object.assign(path, { relative, sep });
    }
  });

  it('is another one where a file was changed or renamed', () => {
    const before = hashOf(root, ['src']);
    fs.renameSync(path.join(root, 'src', 'b.rs'), path.join(root, 'src', 'c.rs'));
    const renamed = hashOf(root, ['src']);
    assert.notEqual(renamed, before);
    fs.writeFileSync(path.join(root, 'src', 'c.rs'), 'c');
    assert.notEqual(hashOf(root, ['src']), renamed);
  });
});
