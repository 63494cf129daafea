'use strict';

// Tests that are run by hand: what they need of set-up, and what is said if it is missing.

const assert = require('node:assert/strict');
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const {
  WORDS, ecosystemFiles, needsNodes, runtimeFiles, testFiles, wordsIn, wordsOf,
} = require('../../scripts/test-files.js');
const { ROOT } = require('../helpers/programs.js');

const MOCHA = path.join(ROOT, 'node_modules', 'mocha', 'bin', 'mocha.js');
const LOCK = path.join('node_modules', '.package-lock.json');

describe('mocha in a clone that is not set up', () => {
  let clone;

  before(() => {
    // Below the root folder, so that mocha's own modules are found.
    fs.mkdirSync(path.join(ROOT, 'target'), { recursive: true });
    clone = fs.mkdtempSync(path.join(ROOT, 'target', 'clone-'));
    for (const name of ['.mocharc.js', 'lib', 'package.json', 'scripts']) {
      fs.cpSync(path.join(ROOT, name), path.join(clone, name), { recursive: true });
    }
    fs.writeFileSync(path.join(clone, 'some.test.js'), '');
  });

  after(() => fs.rmSync(clone, { recursive: true, force: true }));

  function assertSays(missing) {
    const env = { ...process.env, MOCHA_COUNTS_FILE: '' };
    const options = { cwd: clone, encoding: 'utf8', env };
    const { status, stdout, stderr } =
      spawnSync(process.execPath, [MOCHA, 'some.test.js'], options);
    assert.deepEqual({ status, stdout }, { status: 1, stdout: '' });
    assert.equal(stderr.split('\n')[0],
      `[uv-scheduler] this clone is not set up: it lacks ${missing}.`);
    assert.match(stderr, /Run `npm test FILE`/);
    assert.doesNotMatch(stderr, /^ +at /m);
  }

  it('says in place of a stack what is missing, and what makes it', () => {
    assertSays('the npm packages, the addon, the core as WebAssembly');
    fs.mkdirSync(path.join(clone, 'node_modules'));
    fs.cpSync(path.join(ROOT, LOCK), path.join(clone, LOCK));
    assertSays('the addon, the core as WebAssembly');
  });
});

describe('a test file', () => {
  it('needs other Nodes if it, or a helper that it requires, runs programs on them', () => {
    const files = ['loop/exit', 'docs/watching-programs', 'tasks/pieces', 'loading/set-up'];
    const found = files.map((name) => needsNodes(`test/${name}.test.js`));
    assert.deepEqual(found, [true, true, false, false]);
  });

  it('says with known words in which lane and on which hosts it runs', () => {
    const ofEcosystem = ['newest', 'measuring'].flatMap((word) => ecosystemFiles(word));
    const used = [...testFiles(), ...runtimeFiles(), ...ofEcosystem].flatMap((file) =>
      [...wordsOf(file)]);
    const words = Object.keys({ ...WORDS.lane, ...WORDS.host }).sort();
    assert.deepEqual([...new Set([...used, 'node'])].sort(), words);
    assert.deepEqual([...wordsIn("// A.\n// @lane slow waiting\n// @host any\n\nlet a;\n", '')],
      ['slow', 'waiting', 'any']);
    assert.deepEqual([...wordsIn("let a;\n// @lane slow\n", '')], []);
    for (const wrong of ['lane quick', 'host slow', 'lanes slow']) {
      assert.throws(() => wordsIn(`// @${wrong}\n`, 'a.test.js'), /^Error: a\.test\.js: \/\/ @/);
    }
  });
});
