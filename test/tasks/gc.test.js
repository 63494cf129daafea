'use strict';

// Garbage collection: objects that can be collected, and objects that must not be. The programs are
// in fixtures/scenarios/, named by the guarantees; one in fixtures/collected.js has all that is
// just collected.
// @lane slow

const path = require('node:path');
const { FIXTURES, testScenarios, testTogether } = require('../helpers/loop.js');
const { CASES } = require('../fixtures/collected.js');

describe('memory', () => {
  const expected = Object.keys(CASES).map((title) => [title, true]);
  testTogether(['--expose-gc', path.join(FIXTURES, 'collected.js')], Object.fromEntries(expected));

  testScenarios('gc');
});
