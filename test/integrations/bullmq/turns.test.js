'use strict';

// How long a job that arrives waits for its first turn. The rest of its life is tested in
// ecosystem/, with BullMQ and a Redis.

const assert = require('node:assert/strict');
const { FirstTurn } = require('../../../integrations/bullmq/turns.js');
const { fakeHold, separateTests } = require('../../helpers/watch.js');

// In milliseconds. Timers may fire a millisecond early.
const TIMES = { busy: 20, held: 200 };
const EARLY = 20;

// Waits until a job without a turn is given up. The timer does not keep the process alive.
async function waitForNone(times) {
  const alive = setInterval(() => {}, 1000);
  await new Promise((resolve) => new FirstTurn(times, resolve));
  clearInterval(alive);
}

describe('a job that arrives', () => {
  let hold;

  separateTests();
  beforeEach(() => {
    hold = fakeHold();
  });

  it('waits for its first turn longer while background work is held', async () => {
    hold.reason = 1;
    const start = performance.now();
    await waitForNone(TIMES);
    assert.ok(performance.now() - start >= TIMES.held - EARLY);
  });

  it('waits no longer once the hold has ended', async () => {
    hold.reason = 2;
    let steps = 0;
    const count = setInterval(() => {
      if (++steps < 3) return;
      hold.reason = 0;
      clearInterval(count);
    }, TIMES.busy);
    await waitForNone({ ...TIMES, held: Infinity });
    assert.equal(steps, 3);
  });

  it('is given up at once where the loop is busy and nothing is held', async () => {
    const held = 100 * TIMES.held;
    const start = performance.now();
    await waitForNone({ ...TIMES, held });
    assert.ok(performance.now() - start < held / 2);
  });

  it('waits no more once it has its turn', async () => {
    const turn = new FirstTurn(TIMES, assert.fail);
    turn.end();
    await new Promise((resolve) => setTimeout(resolve, 2 * TIMES.busy));
  });
});
