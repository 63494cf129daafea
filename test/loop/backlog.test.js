'use strict';

// The warning about background work that only grows.
// @host each-node

const assert = require('node:assert/strict');
const { once } = require('node:events');
const { RANK_OF } = require('../../lib/loop/protocol.js');

const MANY = 100_001;
const RANKS = 7;

// Posts a task every 0.1 ms, for 30 s, while so many background tasks are queued and each waits for
// `wait` ms. Returns when the warning came, in ms.
function post(count, wait, rank = RANK_OF.background) {
  // Its state is that of a process.
  delete require.cache[require.resolve('../../lib/loop/backlog.js')];
  const { isBacklogFound } = require('../../lib/loop/backlog.js');
  const counted = () => {
    const numbers = new Float64Array(3 * RANKS);
    numbers.set([count], 3 * RANK_OF.background);
    return numbers;
  };
  for (let time = 0; time < 30_000; time += 0.1) {
    const tasks = { includes: ({ postedAt }) => time - postedAt < wait };
    if (isBacklogFound(counted, tasks, { postedAt: time }, rank, () => time)) return time;
  }
  return undefined;
}

describe('the warning about a backlog of background work', () => {
  it('comes when the oldest of many tasks has waited for 10 s', async () => {
    const time = post(MANY, 15_000);
    assert.ok(time >= 10_000 && time < 11_000, `after ${time} ms`);
    const [{ code, message }] = await once(process, 'warning');
    assert.equal(code, 'UV_SCHEDULER_BACKGROUND_BACKLOG');
    assert.match(message, /^100001 background tasks are queued, and the oldest has waited/);
  });

  it('does not come while fewer tasks wait or none for so long, nor for other posts', () => {
    assert.equal(post(MANY - 1, 15_000), undefined);
    assert.equal(post(MANY, 5_000), undefined);
    assert.equal(post(MANY, 15_000, RANK_OF['user-visible']), undefined);
  });
});
