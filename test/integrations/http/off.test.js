'use strict';

// UV_SCHEDULER_DISABLE=all: admissions pass every request, and controllers and shutDown() work.

const path = require('node:path');
const { FIXTURES, LIMIT, assertOnEachNode, run } = require('../../helpers/loop.js');

describe('a server whose scheduler is off', () => {
  it('serves all at once, ends work for clients who leave, and shuts down', async () => {
    const expected = {
      signals: [true, true, true],
      pages: ['onetwo', 'onetwo', 'onetwo'],
      left: 'AbortError',
      slow: 'begun ended',
      isListening: false,
      counts: [0, 0, 0],
    };
    await assertOnEachNode(expected, async (node) => {
      const { stdout, stderr } = await run(node, [path.join(FIXTURES, 'off-server.js')]);
      return stderr === '' ? JSON.parse(stdout) : stderr;
    });
  }).timeout(LIMIT);
});
