'use strict';

// Which clock times what is watched.

const assert = require('node:assert/strict');
require('../..');
const { isSameClock } = require('../../lib/watch/clock.js');

const read = () => Number(process.hrtime.bigint());

describe('the clock of what watches', () => {
  it('is process.hrtime() where that is the clock of the binding', () => {
    assert.equal(isSameClock(process.hrtime, read), true);
  });

  it('is the binding if something has replaced process.hrtime()', () => {
    assert.equal(isSameClock(() => [0, 0], read), false);
    assert.equal(isSameClock(() => [Number.MAX_SAFE_INTEGER / 1e9, 0], read), false);
  });
});
