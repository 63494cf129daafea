'use strict';

// An admission without `maxRunning`: as many requests run as keep the thread busy outside of tasks,
// and as end in time while they share it.

const assert = require('node:assert/strict');
const { performance } = require('node:perf_hooks');
const { mock } = require('node:test');
const { setImmediate: turn, setTimeout: sleep } = require('node:timers/promises');

const { currentTaskSignal, pieces, scheduler } = require('../../..');
const { RunningBound } = require('../../../integrations/http/admission/running-bound.js');
const { LONG, PATIENT, besideClients, closeAll, start } = require('../../helpers/admission.js');
const { busy } = require('../../helpers/tasks.js');

describe('the bound on running requests', () => {
  let now;
  // For how long the thread was active and idle, and how much of that the process had a processor.
  let active;
  let idle;
  let share;
  let turns;
  let bound;

  beforeEach(() => {
    [now, active, idle, share, turns] = [0, 0, 0, 1, 0];
    mock.method(performance, 'eventLoopUtilization', () => ({ active, idle }));
    mock.method(process, 'cpuUsage', () => ({ user: share * active * 1000, system: 0 }));
    const nodeTiming = { get uvMetricsInfo() { return { loopCount: turns }; } };
    Object.defineProperty(performance, 'nodeTiming', { value: nodeTiming, configurable: true });
    bound = new RunningBound(PATIENT);
    step(0, 0);
  });

  afterEach(() => {
    mock.restoreAll();
    delete performance.nodeTiming;
  });

  const step = (running, waiting) => bound.step(now, waiting, () => running);

  // Takes a step of 50 ms for each number of running requests. Each is a turn of the loop, a part
  // of which the thread has free. Returns the bounds.
  const steps = (all, free, { waiting = 5, isTurn = true } = {}) => all.map((running) => {
    active += 50 * (1 - free);
    idle += 50 * free;
    if (isTurn) turns += 1;
    now += 50;
    step(running, waiting);
    return bound.limitOf('user-visible');
  });
  const tens = (count) => new Array(count).fill(10);

  const FALLING = [Infinity, Infinity, Infinity, 8];

  const room = (time) => bound.roomFor('user-visible', time, () => 0);

  // A request has ended that started under the present bound.
  const show = () => bound.ended({ key: '', priority: 'user-visible', startedAt: now }, now);

  it('falls once the thread has had no time free for 200 ms, to one at least', () => {
    assert.deepEqual(steps(tens(4), 0), FALLING);
    assert.deepEqual(steps([8, 6, 1, 1, 1], 0), [8, 6, 4, 1, 1]);
  });

  it('falls again when those have ended that had started before', () => {
    steps(tens(5), 0);
    assert.deepEqual(steps(tens(4), 0, { isTurn: false }), [8, 8, 8, 8]);
  });

  it('falls as far as a turn is too long, by those that ran at its beginning', () => {
    steps([40], 0);
    const ending = [39, 34, 29, 24, 19, 14, 9, 4];
    const bounds = steps(ending, 0, { isTurn: false });
    assert.deepEqual([bounds[2], bounds.at(-1)], [10, 4]);
  });

  it('falls by those that ran in a turn, and not by those that are left at its end', () => {
    steps([20], 0);
    steps([16, 11], 0, { isTurn: false });
    assert.deepEqual(steps([3], 0), [5]);
  });

  it('begins anew with these when some time was free, or tasks took some', async () => {
    steps(tens(3), 0);
    steps([10], 0.03);
    assert.deepEqual(steps(tens(3), 0), FALLING.slice(0, 3));
    await scheduler.postTask(() => busy(5));
    // The time of a task counts when it has ended.
    await turn();
    assert.deepEqual(steps(tens(4), 0), Array(4).fill(Infinity));
  });

  it('neither falls nor grows while other processes take the processor', () => {
    share = 0.5;
    assert.deepEqual(steps(tens(6), 0), Array(6).fill(Infinity));
    share = 1;
    steps(tens(4), 0);
    share = 0.5;
    assert.deepEqual(steps([8, 8], 0), [8, 8]);
  });

  it('grows by the free time while requests wait, by half at most', () => {
    steps(tens(4), 0);
    const grow = (running) => {
      show();
      return steps([running], 0.45)[0];
    };
    assert.deepEqual([3, 7, 7, 7].map(grow), [8, 12, 14, 14]);
  });

  it('grows again when a request has ended that started since, or after half a second', () => {
    steps(tens(4), 0);
    show();
    assert.deepEqual(steps([8, 8, 8], 0.9), [12, 12, 12]);
    bound.ended({ key: '', priority: 'user-visible', startedAt: now - 150 }, now);
    assert.deepEqual(steps([8], 0.9), [12]);
    show();
    assert.deepEqual(steps([8], 0.9), [18]);
    assert.deepEqual(steps(new Array(9).fill(8), 0.9), new Array(9).fill(18));
    assert.deepEqual(steps([8], 0.9), [27]);
  });

  it('ends after a second in which some time was free and no request waited', () => {
    steps(tens(4), 0);
    const calm = { waiting: 0 };
    const pause = steps(new Array(20).fill(3), 0.5, calm);
    assert.deepEqual(new Set(pause), new Set([8]));
    steps([3], 0);
    assert.deepEqual(steps(new Array(20).fill(3), 0.5, calm), pause);
    assert.deepEqual(steps([3], 0.5, calm), [Infinity]);
  });

  it('lets five requests start together, and three in the time that the thread has for one', () => {
    assert.equal(room(now), Infinity);
    for (let step = 0; step < 40; step++) {
      for (let each = 0; each < 5; each++) show();
      steps([10], 0);
    }
    // Each takes 10 ms.
    assert.equal(room(now), 5);
    for (let each = 0; each < 5; each++) bound.started(0);
    assert.equal(room(now), 0);
    const wait = bound.nextStart - now;
    assert.ok(wait > 3 && wait < 4, `the next one starts after ${wait} ms`);
    assert.equal(room(now + 7), 2);
    assert.equal(room(now + 50), 5);
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

describe('an admission without maxRunning', () => {
  afterEach(closeAll);

  // Lets 60 clients ask a server whose listener awaits a query of so many ms and then computes for
  // 5 ms. `count` of them ask for what is important; the others wait for `patience` ms. Resolves to
  // the statuses of what is important.
  async function crowd(query, count, patience, started, isOver) {
    // Nothing is bounded while others have the processor, as they may have in a run of all tests.
    mock.method(process, 'cpuUsage', () => ({ user: performance.now() * 1000, system: 0 }));
    const { ask, counts } = await start(async (request, response) => {
      const { maxRunning } = counts()['user-visible'];
      started(maxRunning);
      await sleep(query);
      busy(5);
      response.end();
    }, { refuseAfter: { 'user-visible': patience } });
    const important = [];
    await besideClients(60, async (i) => {
      if (i >= count) await ask('/');
      else important.push((await ask('/user-blocking')).status);
    }, () => isOver(counts()['user-visible']));
    mock.restoreAll();
    return important;
  }

  it('bounds requests that block the thread behind an await, and refuses by class', async () => {
    const isOver = ({ maxRunning, refused }) =>
      maxRunning !== null && maxRunning < 20 && refused.wait > 50;
    const important = await crowd(5, 12, 100, () => {}, isOver);
    assert.ok(important.length > 5);
    assert.deepEqual(important.filter((status) => status !== 200), []);
  }).timeout(60_000);

  it('starts few of them together', async () => {
    // By turn of the loop.
    const together = new Map();
    let bounded = 0;
    await crowd(50, 0, LONG, (maxRunning) => {
      // The first ones under a bound may have started while there was none.
      if (maxRunning === null || bounded++ < 40) return;
      const { loopCount } = performance.nodeTiming.uvMetricsInfo;
      together.set(loopCount, (together.get(loopCount) ?? 0) + 1);
    }, () => bounded > 200);
    // More can start while the machine stands still.
    const many = [...together.values()].filter((count) => count > 6);
    const sum = (counts) => counts.reduce((all, count) => all + count, 0);
    assert.ok(sum(many) < sum([...together.values()]) / 4, `${[...together.values()]}`);
  }).timeout(60_000);
});

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

  it('lets user-blocking requests begin beside those that they overtake', async () => {
    let exceeding = 0;
    const { ask, counts } = await start(async ({ url }, response) => {
      if (url === '/') {
        await sleep(1);
        await compute(5);
      } else {
        const { 'user-blocking': urgent, 'user-visible': visible } = counts();
        if (urgent.running > (visible.maxRunning ?? Infinity)) exceeding++;
        await sleep(BOUND);
      }
      response.end();
    }, { refuseAfter: { 'user-visible': BOUND } });
    const isBounded = () => (counts()['user-visible'].maxRunning ?? Infinity) < 25;
    await besideClients(140, async (i) => {
      if (i < 100) await ask('/');
      else await (isBounded() ? ask('/user-blocking') : sleep(10));
    }, () => exceeding > 0);
    assert.ok(exceeding > 0);
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
