'use strict';

// `uv-scheduler/bullmq` with a real Redis, on the runtime that runs the tests.
// @host runtimes

const assert = require('node:assert/strict');
const path = require('node:path');
const { Redis } = require('../../../examples/fleet/redis.js');
const { FIXTURES, LIMIT, nodes, run } = require('../../helpers/loop.js');

describe('an IdleWorker on the portable host', () => {
  const redis = new Redis();

  before(() => redis.start()).timeout(LIMIT);

  after(() => redis.remove()).timeout(LIMIT);

  it('runs jobs as background work, retries, cancels, and lets the process end', async () => {
    const program = path.join(FIXTURES, 'runtime-bullmq.js');
    const { code, stdout, stderr } = await run(nodes[0], [program, String(redis.port)]);
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
    assert.deepEqual(JSON.parse(stdout), {
      starts: 303, signals: 303, inTask: 303, repeated: 0, backgroundFirst: 0, givenBack: 0,
    });
  }).timeout(LIMIT);
});
