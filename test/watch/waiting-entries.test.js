'use strict';

// The entries of queued tasks in a monitor, by id.

const assert = require('node:assert/strict');
const { WaitingEntries } = require('../../lib/watch/waiting-entries.js');

const COUNT = 10_000;
const ROUNDS = 50;

// The least time that it takes to add and to take so many entries. As in the event loop, the
// highest id is the first one.
function leastTime(entries, highest) {
  let least = Infinity;
  for (let round = 0; round < ROUNDS; round++) {
    const begun = performance.now();
    for (let id = highest; id > highest - COUNT; id--) {
      entries.addContinuation(id, 3, id + 0.5, 'source');
    }
    for (let id = highest; id > highest - COUNT; id--) {
      assert.equal(entries.timeOf(id), id + 0.5);
      assert.equal(entries.takeSource(id), 'source');
    }
    least = Math.min(least, performance.now() - begun);
  }
  return least;
}

describe('the entries that wait', () => {
  it('are found again, whatever their ids, and others are unknown', () => {
    const entries = new WaitingEntries();
    const ids = [0, 1, 1023, 1024, 1_000_000, 2 ** 29];
    for (const id of ids) entries.addContinuation(id, 3, id + 1, `source ${id}`);
    for (const id of ids) {
      assert.equal(entries.timeOf(id), id + 1);
      assert.equal(entries.rankOf(id), 3);
      assert.equal(entries.takeSource(id), `source ${id}`);
      assert.equal(entries.takeSource(id), undefined);
    }
    for (const id of [2, 1025, 500_000, 2 ** 29 + 2 ** 20]) {
      assert.equal(entries.timeOf(id), 0);
      assert.equal(entries.rankOf(id), 0);
      assert.equal(entries.takeSource(id), undefined);
    }
    entries.clear();
    assert.deepEqual(ids.map((id) => entries.timeOf(id)), ids.map(() => 0));
  });

  it('take as long with the ids that a burst of tasks has left as with low ones', () => {
    const low = leastTime(new WaitingEntries(), COUNT);
    const high = leastTime(new WaitingEntries(), 1_000_000);
    assert.ok(high < 2 * low, `${high} ms, not ${low} ms`);
  });
});
