'use strict';

// The tags of the tests that the portable host leaves out: each is known, used, and names a
// guarantee that the host does not give, or says what is lacking.
// @host node

const assert = require('node:assert/strict');
const { execFileSync } = require('node:child_process');
const path = require('node:path');
const portable = require('../../dist/portable.js');
const { runtimeFiles } = require('../../scripts/test-files.js');
const { ROOT } = require('../helpers/programs.js');
const { TAGS } = require('./tags.js');

const { guarantees } = portable[Symbol.for('uv-scheduler.internal')];
const MOCHA = path.join(ROOT, 'node_modules', 'mocha', 'bin', 'mocha.js');

function titles() {
  const args = [MOCHA, '--dry-run', '--reporter', 'json', ...runtimeFiles()];
  const options = { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 26 };
  const printed = execFileSync(process.execPath, args, options);
  return JSON.parse(printed).tests.map(({ fullTitle }) => fullTitle);
}

describe('the tags of tests', () => {
  it('are those of the table, and each is used', () => {
    const used = titles().flatMap((title) =>
      Array.from(title.matchAll(/@(\S+)/g), ([, tag]) => tag));
    assert.deepEqual([...new Set(used)].sort(), Object.keys(TAGS).sort());
  });

  it('name guarantees that the host does not give, or say what it lacks', () => {
    for (const [tag, { isGuarantee, lacks }] of Object.entries(TAGS)) {
      assert.ok(isGuarantee ? guarantees[tag] === false : /\w\.$/.test(lacks), tag);
    }
  });
});
