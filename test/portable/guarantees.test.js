'use strict';

// `guarantees` says what programs show: a row that is true is kept each time, one that is false is
// broken at least once.

const assert = require('node:assert/strict');
const path = require('node:path');
const { FIXTURES, LIMIT, nodes, run } = require('../helpers/loop.js');
const { isNode } = require('../helpers/runtime.js');

// Rows for which other tests have programs: the end of a process, and addons that run the loop.
const ELSEWHERE = ['liveness', 'nestedLoops', 'idleMeansIdle'];

async function measured(env) {
  const { stdout, ...end } = await run(nodes[0], [path.join(FIXTURES, 'guarantees.js')], { env });
  assert.deepEqual(end, { code: 0, signal: null, stderr: '' });
  return JSON.parse(stdout);
}

describe('guarantees', () => {
  it('are those that a program finds on this host', async () => {
    const { found, guarantees } = await measured(process.env);
    for (const row of ELSEWHERE) delete guarantees[row];
    assert.deepEqual(found, guarantees);
  }).timeout(LIMIT);

  if (!isNode) return;

  it('hold all with the addon', async () => {
    const { UV_SCHEDULER_PORTABLE, ...env } = process.env;
    const { found, guarantees } = await measured(env);
    assert.equal(UV_SCHEDULER_PORTABLE, '1');
    assert.deepEqual(Object.values(guarantees).filter((is) => !is), []);
    assert.deepEqual(Object.entries(found).filter(([, is]) => !is), []);
  }).timeout(LIMIT);
});
