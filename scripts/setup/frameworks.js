'use strict';

// Installs the frameworks that the programs of bench/frameworks/programs/ use, and builds the
// examples that are measured with them.

const path = require('node:path');
const examples = require('./examples');
const npm = require('./npm');
const { ROOT } = require('./process');

const PROGRAMS = path.join(ROOT, 'bench', 'frameworks', 'programs');

const prepare = () => npm.install(PROGRAMS, 'packages for bench/frameworks/programs');

// Builds examples with the Node at the path `node`.
async function prepareExamples(names, node) {
  for (const name of names) {
    await examples.prepare(name);
    examples.build(name, node);
  }
}

module.exports = { prepare, prepareExamples };
