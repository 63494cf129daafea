'use strict';

// UV_SCHEDULER_DISABLE=all: an IdleWorker is a Worker of BullMQ, with a real Redis.

const assert = require('node:assert/strict');
const path = require('node:path');
const { Redis } = require('../../examples/fleet/redis.js');
const { FIXTURES, LIMIT, nodes, run } = require('../helpers/loop.js');

describe('an IdleWorker while the scheduler is off', () => {
  const redis = new Redis();

  before(() => redis.start()).timeout(LIMIT);

  after(() => redis.remove()).timeout(LIMIT);

  it('works on a busy loop, outside of tasks, and gives no job back', async () => {
    const program = path.join(FIXTURES, 'off-bullmq.js');
    const { code, stdout, stderr } = await run(nodes[0], [program, String(redis.port)]);
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
    assert.deepEqual(JSON.parse(stdout), {
      ran: 24,
      inTask: 0,
      hasSignal: 24,
      attempts: 2,
      givenBack: 0,
      last: 'completed',
      idleCounts: {
        givenBack: { 'busy': 0, 'no-turn': 0, 'closing': 0, 'draining': 0 },
        discardedTime: 0,
        waitTime: 0,
      },
      isWorker: true,
    });
  }).timeout(LIMIT);
});
