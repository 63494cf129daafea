'use strict';

// An admission without `maxRunning`: as many requests run as keep the thread busy outside of tasks,
// and as end in time while they share it.

const assert = require('node:assert/strict');
const { performance } = require('node:perf_hooks');
const { mock } = require('node:test');
const { setImmediate: turn, setTimeout: sleep } = require('node:timers/promises');

const { currentTaskSignal, pieces, scheduler } = require('../../..');
const { RunningBound } = require('../../../integrations/http/admission/running-bound.js');
const { PATIENT, besideClients, closeAll, start } = require('../../helpers/admission.js');
const { busy } = require('../../helpers/tasks.js');

describe('the bound on running requests', () => {
  let now;
  // For how long the thread was active and idle, and how much of that the process had a processor.
  let active;
  let idle;
  let share;
  let bound;

  beforeEach(() => {
    [now, active, idle, share] = [0, 0, 0, 1];
    mock.method(performance, 'eventLoopUtilization', () => ({ active, idle }));
    mock.method(process, 'cpuUsage', () => ({ user: share * active * 1000, system: 0 }));
    bound = new RunningBound(PATIENT);
    bound.step(now, 0, 0);
  });

  afterEach(() => mock.restoreAll());

  // Takes so many steps of 50 ms, a part of which the thread has free. Returns the bounds.
  const steps = (count, free, running = 10, waiting = 5) => Array.from({ length: count }, () => {
    active += 50 * (1 - free);
    idle += 50 * free;
    bound.step(now += 50, running, waiting);
    return bound.limit;
  });

  const FALLING = [Infinity, Infinity, Infinity, 7];

  it('falls once the thread has had no time free for 200 ms, to one at least', () => {
    assert.deepEqual(steps(4, 0), FALLING);
    assert.deepEqual(steps(6, 0), [4, 2, 1, 1, 1, 1]);
  });

  it('begins anew with these when some time was free, or tasks took some', async () => {
    steps(3, 0);
    steps(1, 0.03);
    assert.deepEqual(steps(3, 0), FALLING.slice(0, 3));
    await scheduler.postTask(() => busy(5));
    // The time of a task counts when it has ended.
    await turn();
    assert.deepEqual(steps(4, 0), Array(4).fill(Infinity));
  });

  it('does not fall while other processes take the processor', () => {
    share = 0.5;
    assert.deepEqual(steps(6, 0), Array(6).fill(Infinity));
  });

  it('grows by the free time while requests wait, and ends when none does', () => {
    steps(10, 0);
    assert.deepEqual(steps(2, 0.45, 3), [7, 7]);
    assert.equal(steps(20, 0.5, 3, 0).at(-1), Infinity);
  });
});

// In ms.
const BOUND = 200;

async function compute(milliseconds) {
  const signal = currentTaskSignal();
  for await (const ms of pieces(new Array(milliseconds).fill(1), { signal })) busy(ms);
}

// Lets a client for each of `paths` ask a server with a listener again and again, until
// `isOver(counts)` is true of the counts of user-visible requests. Resolves to all counts that were
// seen, one for each answer.
async function visit(listener, paths, isOver) {
  const { ask, counts } = await start(async (request, response) => {
    await listener(request);
    response.end();
  }, { refuseAfter: { 'user-visible': BOUND } });
  const seen = [];
  await besideClients(paths.length, async (i) => {
    await ask(paths[i]);
    seen.push(counts()['user-visible']);
  }, () => seen.length > 0 && isOver(seen.at(-1)));
  return seen;
}

const boundsOf = (seen) => seen.map(({ maxRunning }) => maxRunning).filter((each) => each !== null);

describe('an admission without maxRunning of requests that share the thread', () => {
  afterEach(closeAll);

  it('bounds those that all end late, and refuses', async () => {
    const seen = await visit(async () => {
      await sleep(1);
      await compute(5);
    }, new Array(100).fill('/'), ({ maxRunning, refused }) => {
      return maxRunning !== null && refused.wait > 50;
    });
    const [least] = boundsOf(seen).sort((a, b) => a - b);
    // A hundred would run for 500 ms.
    assert.ok(least < 50, `${least} may run`);
    assert.ok(seen.at(-1).refused.wait > 50, `${seen.at(-1).refused.wait} are refused`);
  }).timeout(60_000);

  it('bounds nothing where long requests delay no short ones', async () => {
    const seen = await visit(async ({ url }) => {
      await sleep(1);
      await compute(url === '/long' ? 60 : 1);
    }, ['/', '/', '/', ...new Array(8).fill('/long')], ({ admitted }) => admitted > 300);
    assert.ok(seen.at(-1).admitted > 100);
    assert.deepEqual(boundsOf(seen), []);
  }).timeout(60_000);

  it('bounds nothing where they wait for something else beside background work', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const all = scheduler.postTask(async () => {
      for await (const ms of pieces(new Array(100_000).fill(0.2), { signal })) busy(ms);
    }, { signal, priority: 'background' });
    let count = 0;
    const seen = await visit(() => sleep(count++ < 50 ? 10 : 2 * BOUND),
      new Array(20).fill('/'), ({ admitted }) => admitted > 200);
    controller.abort();
    await assert.rejects(all, { name: 'AbortError' });
    assert.ok(seen.at(-1).admitted > 100);
    assert.deepEqual(boundsOf(seen), []);
  }).timeout(60_000);
});
