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

// Programs 1 to 5 of the contract. Between user-blocking and background tasks the order is that of
// the host's timers and immediates.
const ORDERS = {
  'program-1.js': /^tick micro ub (?=.*\bt0\b)(?=.*\bimm\b)(?=.*uv.*bg).*$/,
  'program-2.js': /^A ub B uv bg$/,
  'program-3.js': /^ub (?=.*\bt0\b)(?=.*\bimm\b)(?=.*bg).*$/,
  'program-4.js': /^ub (?=.*\bt0\b)(?=.*\bimm\b)(?=.*uv.*bg1 .*bg2).*$/,
  'program-5.js': /^t1 (?=.*y1.*y2.*y3)(?=.*t2.*t3).*$/,
};

describe('the order of the contract’s programs on the portable host', () => {
  for (const [file, expected] of Object.entries(ORDERS)) {
    it(`is that of priorities in ${file}`, async () => {
      for (let times = 0; times < 3; times++) {
        const { stdout, code } = await run(nodes[0], [path.join(FIXTURES, file)]);
        assert.equal(code, 0);
        assert.match(stdout, expected);
      }
    });
  }
});
