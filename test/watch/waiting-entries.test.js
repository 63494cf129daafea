'use strict';

// The entries of queued tasks in a monitor, by id.
// @host portable

const assert = require('node:assert/strict');
const { WaitingEntries } = require('../../lib/watch/waiting-entries.js');

it('the entries that wait are found again, whatever their ids, and others are unknown', () => {
  const entries = new WaitingEntries();
  const ids = [0, 1, 511, 512, 1023, 1024, 1_000_000, 2 ** 29];
  for (const id of ids) entries.addContinuation(id, 3, id + 1, `source ${id}`);
  for (const id of ids) {
    assert.deepEqual([entries.timeOf(id), entries.rankOf(id)], [id + 1, 3]);
    assert.equal(entries.takeSource(id), `source ${id}`);
    assert.equal(entries.takeSource(id), undefined);
  }
  for (const id of [2, 1025, 500_000, 2 ** 29 + 2 ** 20]) {
    assert.deepEqual([entries.timeOf(id), entries.rankOf(id)], [0, 0]);
    assert.equal(entries.takeSource(id), undefined);
  }
  entries.clear();
  assert.deepEqual(ids.map((id) => entries.timeOf(id)), ids.map(() => 0));
});
