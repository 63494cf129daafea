'use strict';

// The table of tests that the portable host leaves out names tests that exist, and guarantees that
// the host does not give.

const assert = require('node:assert/strict');
const { execFileSync } = require('node:child_process');
const path = require('node:path');
const { guarantees } = require('../../dist/portable.js');
const { runtimeFiles } = require('../../scripts/test-files.js');
const { ROOT } = require('../helpers/programs.js');
const { entries, excludedFiles } = require('./excluded.js');

const MOCHA = path.join(ROOT, 'node_modules', 'mocha', 'bin', 'mocha.js');

function existingTitles() {
  const args = [MOCHA, '--dry-run', '--reporter', 'json', ...runtimeFiles()];
  const options = { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 26 };
  const printed = execFileSync(process.execPath, args, options);
  return new Set(JSON.parse(printed).tests.map(({ fullTitle }) => fullTitle));
}

describe('the table of excluded tests', () => {
  it('names tests that exist', () => {
    const titles = existingTitles();
    const stale = entries().flatMap((entry) => entry.titles).filter((title) => !titles.has(title));
    assert.deepEqual(stale, []);
  });

  it('names no test twice for a runtime', () => {
    const named = entries().flatMap(({ on, titles }) => {
      return on.flatMap((host) => titles.map((title) => `${host}: ${title}`));
    });
    assert.deepEqual(named.filter((each, i) => named.indexOf(each) !== i), []);
  });

  it('names files that exist', () => {
    const files = runtimeFiles();
    assert.deepEqual(excludedFiles().filter((file) => !files.includes(file)), []);
  });

  it('names guarantees that the host does not give, or a reason', () => {
    for (const { guarantee, reason } of entries()) {
      assert.ok(reason !== undefined || guarantees[guarantee] === false, guarantee);
    }
  });
});
