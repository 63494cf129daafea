'use strict';

// The list of mutants fits the code. `npm run check mutants` runs them.
// @host any

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { transformSync } = require('esbuild');
const { MUTANTS, mutate } = require('.');
const { ROOT, read } = require('../helpers/docs.js');

const hasTarget = (target) =>
  target === 'lib' || fs.existsSync(path.join(ROOT, 'core', 'tests', target, 'main.rs'));

describe('the list of mutants', () => {
  it('has each file of its folder, and sixty mutants at least', () => {
    const files = fs.readdirSync(__dirname).filter((name) => !/^index|^mutants/.test(name));
    const listed = files.flatMap((name) => require(`./${name}`));
    assert.deepEqual(new Set(MUTANTS), new Set(listed));
    assert.ok(MUTANTS.length >= 66, `${MUTANTS.length}`);
  });

  it('has changes of texts that occur once, with names of their own', () => {
    for (const mutant of MUTANTS) {
      const text = read(mutant.file);
      assert.notEqual(mutate(mutant, text), text, mutant.name);
    }
    assert.equal(new Set(MUTANTS.map(({ name }) => name)).size, MUTANTS.length);
  });

  it('has changes of JavaScript after which it is JavaScript', () => {
    for (const mutant of MUTANTS.filter(({ file }) => file.endsWith('.js'))) {
      transformSync(mutate(mutant, read(mutant.file)));
    }
  });

  it('names tests that exist', () => {
    for (const { name, tests = [], target } of MUTANTS) {
      assert.notEqual(tests.length > 0, target !== undefined, name);
      const missing = tests.filter((file) => !fs.existsSync(path.join(ROOT, file)));
      assert.deepEqual(missing, [], name);
      assert.ok(target === undefined || hasTarget(target), name);
    }
  });
});
