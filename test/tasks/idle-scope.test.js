'use strict';

// The scope of idleness that background work waits for: the setting, the environment variable, and
// the calls that lift the hold. The programs are in fixtures/scenarios/, named by the guarantees.

const assert = require('node:assert/strict');
const { configure } = require('../..');
const { testScenarios } = require('../helpers/loop.js');

describe('what has to be idle before background work', () => {
  testScenarios('idle-scope');

  for (const value of ['Loop', '', 'processor', null, 0, 5n, true, {}]) {
    it(`cannot be ${typeof value} ${JSON.stringify(String(value))}`, () => {
      assert.throws(() => configure({ idle: value }), {
        name: 'TypeError',
        code: 'ERR_INVALID_ARG_VALUE',
        message: /'configure': the member idle must be one of 'loop', 'container', 'machine', but/,
      });
    });
  }

  it('cannot be a symbol', () => {
    assert.throws(() => configure({ idle: Symbol('loop') }), { code: 'ERR_INVALID_ARG_TYPE' });
  });
});
