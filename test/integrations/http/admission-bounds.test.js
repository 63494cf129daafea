'use strict';

// An admission without `maxRunning`: as many requests run as keep the thread busy outside of tasks,
// and as end in time while they share it.

const assert = require('node:assert/strict');
const { performance } = require('node:perf_hooks');
const { mock } = require('node:test');
const { setImmediate: turn } = require('node:timers/promises');

const { currentTaskSignal, pieces, scheduler } = require('../../..');
const { RunningBound } = require('../../../integrations/http/admission/running-bound.js');
const { turnsOfLoop } = require('../../../lib/loop/time.js');
const { ended, letVisit, serve, sleep, useClock } = require('../../helpers/admission-clock.js');
const { LONG, PATIENT } = require('../../helpers/admission.js');
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

describe('an admission without maxRunning', () => {
  // In ms.
  const BOUND = 200;
  const SPAN = 1500;
  const test = useClock();
  let admission;

  const boundOf = () => admission.counts()['user-visible'].maxRunning;

  // Lets a client for each of `paths` ask a listener again and again, all for SPAN ms. Resolves to
  // the counts of user-visible requests at the end, the bounds behind each answer, and the statuses
  // of user-blocking requests. A client for a path does not ask while `isPatient(path)`.
  async function visit(paths, listener, { bound = BOUND, isPatient = () => false } = {}) {
    admission = serve(async (request, response) => {
      await listener(request);
      response.end();
    }, { refuseAfter: { 'user-visible': bound } });
    const bounds = [];
    const urgent = [];
    await letVisit(test, paths.length, SPAN, async (i) => {
      await sleep(1);
      if (isPatient(paths[i])) return;
      const { statusCode } = await ended(admission.ask(paths[i]));
      if (paths[i] === '/user-blocking') urgent.push(statusCode);
      bounds.push(boundOf());
    });
    return { ...admission.counts()['user-visible'], bounds: new Set(bounds), urgent };
  }

  const many = (count, path = '/') => new Array(count).fill(path);

  async function compute(milliseconds) {
    const signal = currentTaskSignal();
    for await (const ms of pieces(many(milliseconds, 1), { signal })) test.spend(ms);
  }

  it('bounds requests that block the thread behind an await, and refuses by class', async () => {
    const found = await visit([...many(12, '/user-blocking'), ...many(48)], async () => {
      await sleep(5);
      test.spend(5);
    }, { bound: 100 });
    assert.ok(Math.min(...found.bounds) < 20 && found.refused.wait > 50);
    assert.ok(found.urgent.length > 50);
    assert.deepEqual(new Set(found.urgent), new Set([200]));
  });

  it('starts few of them together', async () => {
    // Under a bound, by turn of the loop.
    const together = new Map();
    await visit(many(60), async () => {
      if (boundOf() !== null) {
        together.set(turnsOfLoop(), (together.get(turnsOfLoop()) ?? 0) + 1);
      }
      await sleep(50);
      test.spend(5);
    }, { bound: LONG });
    assert.ok(together.size > 20);
    const most = Math.max(...together.values());
    assert.ok(most <= 6, `${most} of them`);
  });

  it('bounds those that share the thread and all end late, and refuses', async () => {
    const { bounds, refused } = await visit(many(100), async () => {
      await sleep(1);
      await compute(5);
    });
    const bounded = [...bounds].filter((bound) => bound !== null);
    // A hundred would run for 500 ms.
    assert.ok(Math.min(...bounded) < 50 && refused.wait > 50);
  });

  it('lets user-blocking requests begin beside those that they overtake', async () => {
    let exceeding = 0;
    await visit([...many(100), ...many(40, '/user-blocking')], async ({ url }) => {
      if (url === '/') {
        await sleep(1);
        await compute(5);
      } else {
        const { running } = admission.counts()['user-blocking'];
        if (running > (boundOf() ?? Infinity)) exceeding++;
        await sleep(BOUND);
      }
    }, { isPatient: (path) => path !== '/' && (boundOf() ?? Infinity) >= 25 });
    assert.ok(exceeding > 0);
  });

  it('bounds nothing where long requests delay no short ones', async () => {
    const { bounds, admitted } = await visit([...many(3), ...many(8, '/long')], async ({ url }) => {
      await sleep(1);
      await compute(url === '/long' ? 60 : 1);
    });
    assert.deepEqual(bounds, new Set([null]));
    assert.ok(admitted > 100, `${admitted}`);
  });

  it('bounds nothing where they wait for something else beside background work', async () => {
    const work = scheduler.postTask(async () => {
      for await (const ms of pieces(many(SPAN * 2, 1))) test.spend(ms);
    }, { priority: 'background' });
    let count = 0;
    const { bounds, admitted } = await visit(many(20), () => {
      return sleep(count++ < 50 ? 10 : 2 * BOUND);
    });
    await work;
    assert.deepEqual(bounds, new Set([null]));
    assert.ok(admitted > 100, `${admitted}`);
  });
});
