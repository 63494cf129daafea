'use strict';

// An admission without `maxRunning`: as many requests run as keep the thread busy outside of tasks.

const assert = require('node:assert/strict');
const { performance } = require('node:perf_hooks');
const { setImmediate: turn, setTimeout: sleep } = require('node:timers/promises');

const { scheduler } = require('../../..');
const { RunningBound } = require('../../../integrations/http/admission/running-bound.js');
const { PATIENT, closeAll, start } = require('../../helpers/admission.js');
const { busy } = require('../../helpers/tasks.js');

// In ms. A machine that has no time for the server takes longer.
const LONGEST = 18_000;

const { cpuUsage } = process;

afterEach(async () => {
  process.cpuUsage = cpuUsage;
  await closeAll();
});

describe('an admission without maxRunning', () => {
  // Nothing is bounded while others have the processor, as they may have in a run of all tests.
  beforeEach(() => {
    process.cpuUsage = () => ({ user: performance.now() * 1000, system: 0 });
  });

  it('bounds requests that block the thread behind an await, and refuses', async () => {
    const { ask, counts } = await start(async (request, response) => {
      await sleep(5);
      busy(5);
      response.end();
    }, { refuseAfter: { 'user-visible': 100 } });
    const end = performance.now() + LONGEST;
    const important = [];
    let seen;
    let isOver = false;
    // No timer looks, as it would be a callback beside those of the requests.
    const look = () => {
      if (isOver) return;
      seen = counts()['user-visible'];
      const { maxRunning, refused } = seen;
      const isBounded = maxRunning !== null && maxRunning < 10 && refused.wait > 50;
      isOver = isBounded || performance.now() > end;
    };
    await Promise.all(Array.from({ length: 60 }, async (_, i) => {
      for (look(); !isOver; look()) {
        if (i % 5 < 4) await ask('/');
        else important.push((await ask('/user-blocking')).status);
      }
    }));
    assert.ok(seen.maxRunning !== null && seen.maxRunning < 10, `${seen.maxRunning} may run`);
    assert.ok(seen.refused.wait > 50, `${seen.refused.wait} are refused`);
    assert.ok(important.length > 5);
    assert.deepEqual(important.filter((status) => status !== 200), []);
  }).timeout(60_000);
});

describe('the bound on running requests', () => {
  let now;
  let active;
  let idle;
  // How much of its active time the process has the processor.
  let share;
  let bound;

  beforeEach(() => {
    [now, active, idle, share] = [0, 0, 0, 1];
    bound = new RunningBound(PATIENT);
    performance.eventLoopUtilization = () => ({ active, idle });
    process.cpuUsage = () => ({ user: share * active * 1000, system: 0 });
    bound.step(now, 0, 0);
  });

  afterEach(() => {
    delete performance.eventLoopUtilization;
  });

  // Takes so many steps of 50 ms, a part of which the thread has free. Returns the bounds.
  const steps = (count, free, running, waiting) => Array.from({ length: count }, () => {
    now += 50;
    active += 50 * (1 - free);
    idle += 50 * free;
    bound.step(now, running, waiting);
    return bound.limit;
  });

  it('falls once the thread has had no time free for 200 ms, to one at least', () => {
    assert.deepEqual(steps(4, 0, 10, 5), [Infinity, Infinity, Infinity, 7]);
    assert.deepEqual(steps(6, 0, 10, 5), [4, 2, 1, 1, 1, 1]);
  });

  it('begins anew with the 200 ms when some time was free', () => {
    steps(3, 0, 10, 5);
    steps(1, 0.03, 10, 5);
    assert.deepEqual(steps(4, 0, 10, 5), [Infinity, Infinity, Infinity, 7]);
  });

  it('begins anew with these when tasks took some time', async () => {
    steps(3, 0, 10, 5);
    await scheduler.postTask(() => busy(5));
    // The time of a task counts when it has ended.
    await turn();
    assert.deepEqual(steps(4, 0, 10, 5), Array(4).fill(Infinity));
  });

  it('does not fall while other processes take the processor', () => {
    share = 0.5;
    assert.deepEqual(steps(6, 0, 10, 5), Array(6).fill(Infinity));
  });

  it('grows by the free time while requests wait, and ends when none does', () => {
    steps(10, 0, 10, 5);
    assert.deepEqual(steps(2, 0.45, 3, 5), [7, 7]);
    assert.equal(steps(20, 0.5, 3, 0).at(-1), Infinity);
  });
});
