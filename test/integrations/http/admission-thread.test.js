'use strict';

// An admission without `maxRunning`: as many requests run as keep the thread busy outside of tasks.

const assert = require('node:assert/strict');
const { performance } = require('node:perf_hooks');
const { setImmediate: turn, setTimeout: sleep } = require('node:timers/promises');

const { currentTaskSignal, pieces, scheduler } = require('../../..');
const { ThreadBound } = require('../../../integrations/http/admission/thread-bound.js');
const { closeAll, start } = require('../../helpers/admission.js');
const { busy } = require('../../helpers/tasks.js');

// In ms. A machine that has no time for the server takes longer.
const LONGEST = 18_000;

// Has a server with a listener visited without a pause, by `visitors` who ask again as soon as they
// have an answer, until `isOver(counts)` is true of the counts of user-visible requests, or for the
// longest time. Resolves to the counts at that moment, and to the statuses of the answers by
// path.
async function visit(listener, { visitors, isOver, paths = ['/'] }) {
  const { ask, counts } = await start(listener, { refuseAfter: { 'user-visible': 100 } });
  const statuses = Object.fromEntries(paths.map((path) => [path, []]));
  const end = performance.now() + LONGEST;
  let seen;
  let hasEnded = false;
  // No timer looks, as it would be a callback beside those of the requests.
  const isEnd = () => {
    if (hasEnded) return true;
    seen = counts()['user-visible'];
    hasEnded = performance.now() > end || isOver(seen);
    return hasEnded;
  };
  await Promise.all(Array.from({ length: visitors }, async (_, i) => {
    const path = paths[i % paths.length];
    while (!isEnd()) statuses[path].push((await ask(path)).status);
  }));
  return { counts: seen, statuses };
}

describe('an admission without maxRunning', () => {
  afterEach(closeAll);

  it('bounds requests that block the thread behind an await, and refuses', async () => {
    const { counts, statuses } = await visit(async (request, response) => {
      await sleep(5);
      busy(5);
      response.end();
    }, {
      visitors: 60, paths: ['/', '/', '/', '/', '/user-blocking'],
      isOver: ({ maxRunning, refused }) => {
        return maxRunning !== null && maxRunning < 10 && refused.wait > 50;
      },
    });
    assert.ok(counts.maxRunning !== null && counts.maxRunning < 10, `${counts.maxRunning} may run`);
    assert.ok(counts.refused.wait > 50, `${counts.refused.wait} are refused`);
    assert.ok(statuses['/user-blocking'].length > 5);
    assert.deepEqual(statuses['/user-blocking'].filter((status) => status !== 200), []);
  }).timeout(60_000);

  it('bounds nothing where the thread waits for something else', async () => {
    let free = 2;
    const waiting = [];
    const { counts } = await visit(async (request, response) => {
      if (free-- <= 0) await new Promise((resolve) => waiting.push(resolve));
      await sleep(10);
      free++;
      waiting.shift()?.();
      response.end();
    }, { visitors: 40, isOver: ({ admitted }) => admitted > 200 });
    assert.equal(counts.maxRunning, null);
  });

  it('bounds nothing where tasks take the time', async () => {
    const { counts } = await visit(async (request, response) => {
      const signal = currentTaskSignal();
      for await (const ms of pieces(new Array(20).fill(0.25), { signal })) busy(ms);
      response.end();
    }, { visitors: 10, isOver: ({ admitted }) => admitted > 100 });
    assert.equal(counts.maxRunning, null);
    assert.ok(counts.admitted > 20, `${counts.admitted} were served`);
  });
});

describe('the bound on running requests', () => {
  const { cpuUsage } = process;
  let now;
  let active;
  let idle;
  // How much of its active time the process has the processor.
  let share;
  let bound;

  beforeEach(() => {
    [now, active, idle, share] = [0, 0, 0, 1];
    bound = new ThreadBound();
    performance.eventLoopUtilization = () => ({ active, idle });
    process.cpuUsage = () => ({ user: share * active * 1000, system: 0 });
    bound.step(now, 0, 0);
  });

  afterEach(() => {
    delete performance.eventLoopUtilization;
    process.cpuUsage = cpuUsage;
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
