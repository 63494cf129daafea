'use strict';

// UV_SCHEDULER_DISABLE=all or admission: admissions pass every request as if there were none, and
// controllers and shutDown() work.

const path = require('node:path');
const { FIXTURES, LIMIT, assertOnEachNode, run } = require('../../helpers/loop.js');

const EXPECTED = {
  signals: [true, true, true, true],
  pages: ['onetwo', 'onetwo', 'onetwo'],
  whileDraining: 'onetwo',
  left: 'AbortError',
  settled: [true, true],
  error: 'failed',
  passed: [],
  misspelt: 'ERR_INVALID_ARG_VALUE',
  slow: 'begun ended',
  isListening: false,
  counts: [0, 0, 0],
};

describe('a server while UV_SCHEDULER_DISABLE has a value', () => {
  for (const value of ['all', 'admission']) {
    it(`serves at once, ends work for clients who leave, and shuts down: ${value}`, async () => {
      const env = { ...process.env, UV_SCHEDULER_DISABLE: value };
      await assertOnEachNode(EXPECTED, async (node) => {
        const args = [path.join(FIXTURES, 'off-server.js')];
        const { stdout, stderr } = await run(node, args, { env });
        return stderr === '' ? JSON.parse(stdout) : stderr;
      });
    }).timeout(LIMIT);
  }
});
