'use strict';

// The warning about background work that only grows.

const assert = require('node:assert/strict');
const { RANK_OF } = require('../../lib/loop/protocol.js');

const MANY = 100_001;
const RANKS = 7;

let isBacklogFound;
let warnings;

const onWarning = (warning) => warnings.push(warning);

beforeEach(() => {
  // Its state is that of a process.
  const file = require.resolve('../../lib/loop/backlog.js');
  delete require.cache[file];
  ({ isBacklogFound } = require(file));
  warnings = [];
  process.on('warning', onWarning);
});

afterEach(() => process.off('warning', onWarning));

// Posts a task every 0.1 ms, for so many ms, while so many background tasks are queued and each
// waits for `wait` ms. Returns when the warning came, in ms.
function post(duration, count, wait, rank = RANK_OF.background) {
  const counted = () => {
    const numbers = new Float64Array(3 * RANKS);
    numbers.set([count], 3 * RANK_OF.background);
    return numbers;
  };
  for (let time = 0; time < duration; time += 0.1) {
    const tasks = { includes: ({ postedAt }) => time - postedAt < wait };
    if (isBacklogFound(counted, tasks, { postedAt: time }, rank, () => time)) return time;
  }
  return undefined;
}

describe('the warning about a backlog of background work', () => {
  it('comes when the oldest of many tasks has waited for 10 s', async () => {
    const time = post(30_000, MANY, 15_000);
    assert.ok(time >= 10_000 && time < 11_000, `after ${time} ms`);
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(warnings.length, 1);
    const [{ code, message }] = warnings;
    assert.equal(code, 'UV_SCHEDULER_BACKGROUND_BACKLOG');
    assert.match(message, /^100001 background tasks are queued, and the oldest has waited/);
  });

  it('does not come while fewer tasks wait, or none for so long', () => {
    assert.equal(post(30_000, MANY - 1, 15_000), undefined);
    assert.equal(post(30_000, MANY, 5_000), undefined);
  });

  it('does not come for posts of other priorities', () => {
    assert.equal(post(30_000, MANY, 15_000, RANK_OF['user-visible']), undefined);
  });
});
