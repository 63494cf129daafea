'use strict';

// The programs of docs/frameworks.md. The page shows lines of these programs and of files of
// examples/ that it links to, and only times of bench/results/frameworks.md.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { testPrograms } = require('../helpers/benchmark-programs.js');
const { ROOT, nodes } = require('../helpers/loop.js');
const { assertShows, read } = require('../helpers/docs.js');
const { FOLDER, PROGRAMS } = require('../../bench/frameworks/list.js');

const DOCUMENT = 'docs/frameworks.md';
const RESULTS = 'bench/results/frameworks.md';
const NODE = nodes.at(-1);

testPrograms((program) => !program.example, NODE);

describe(DOCUMENT, () => {
  const text = read(DOCUMENT);

  it('names every program of the benchmark', () => {
    const missing = PROGRAMS.filter(({ name, example }) =>
      !text.includes(example ? `/examples/${example}` : `/programs/${name}.js`));
    assert.deepEqual(missing, []);
  });

  it('shows lines of these programs and examples', () => {
    const programs = fs.readdirSync(FOLDER).filter((name) => name.endsWith('.js'));
    const files = programs.map((name) => path.join(FOLDER, name));
    const links = text.matchAll(/\/blob\/main\/(examples\/\S+)$/gm);
    for (const [, file] of links) files.push(path.join(ROOT, file));
    assertShows(DOCUMENT, files);
  });

  it('has only times that the benchmark has written', () => {
    const rows = text.split('\n').filter((line) => line.startsWith('|') && line.includes(' → '));
    assert.ok(rows.length > 0);
    const results = read(RESULTS).split('\n');
    assert.deepEqual(rows.filter((row) => !results.includes(row)), []);
    assert.doesNotMatch(text, /\d+ (?:ms|µs|s|pages)\b/);
  });
});
