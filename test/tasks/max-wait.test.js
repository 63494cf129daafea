'use strict';

// The option `maxWait` of postTask(), the bound that one task has on its own wait, and the settings
// of configure(). loop/event-loop.test.js tests the time slice.

const assert = require('node:assert/strict');
const { TaskController, configuration, configure, pieces, scheduler } = require('../..');
const { MOST_BUSY, busy } = require('../helpers/tasks.js');

const NO_BOUNDS = { 'user-visible': Infinity, 'background': Infinity };
const BACKGROUND = { priority: 'background' };

// A slice that a slow machine does not use up.
const LONG = 10_000;

// How long something was awaited while an immediate was always waiting. Fails if it does not come
// meanwhile.
async function timeWhileBusy(begin) {
  const started = performance.now();
  let isOver = false;
  const again = () => {
    if (!isOver && performance.now() - started < MOST_BUSY) setImmediate(again);
  };
  again();
  await begin();
  isOver = true;
  const waited = performance.now() - started;
  assert.ok(waited < MOST_BUSY, 'it came when nothing else was runnable any more');
  return waited;
}

// Whether something happens while an immediate waits in every check phase, for 50 ms.
async function happensWhileBusy(hasHappened) {
  const started = performance.now();
  while (performance.now() - started < 50) {
    await new Promise((resolve) => setImmediate(resolve));
    if (hasHappened()) return true;
  }
  return false;
}

describe('maxWait of a task', () => {
  before(() => configure({ timeSlice: LONG }));
  afterEach(() => configure({ timeSlice: LONG, maxWait: NO_BOUNDS }));
  after(() => configure({ timeSlice: 5 }));

  for (const [which, options] of Object.entries({
    'without a signal': BACKGROUND,
    'with a signal that can abort it': { ...BACKGROUND, signal: new AbortController().signal },
    'that follows a signal': { signal: new TaskController(BACKGROUND).signal },
    'behind its delay': { ...BACKGROUND, delay: 20 },
  })) {
    it(`bounds the wait of a task ${which} where others always can run @background`, async () => {
      const waited = await timeWhileBusy(() =>
        scheduler.postTask(() => {}, { ...options, maxWait: 20 }));
      const least = 20 + (options.delay ?? 0);
      assert.ok(waited >= least, `the task waited ${waited} ms`);
    });
  }

  for (const [name, goOn] of [
    ['yield()', () => scheduler.yield()],
    ['yield() with a priority', () => scheduler.yield(BACKGROUND)],
    ["yield({ signal: 'inherit' })", () => scheduler.yield({ signal: 'inherit' })],
    ['wait()', () => scheduler.wait(1)],
    ['yield() after an await', async () => {
      await new Promise((resolve) => setImmediate(resolve));
      await scheduler.yield();
    }],
  ]) {
    for (const [which, more] of [
      ['', {}],
      [' with a signal', { signal: new TaskController(BACKGROUND).signal, priority: undefined }],
      [' with a key', { fairnessKey: 'own' }],
    ]) {
      it(`is that of each continuation by ${name} of a task${which} @background`, async () => {
        const waited = await timeWhileBusy(() => scheduler.postTask(async () => {
          for (let i = 0; i < 3; i++) await goOn();
        }, { ...BACKGROUND, ...more, maxWait: 10 }));
        // The task and each of its three continuations have waited so long.
        assert.ok(waited >= 40, `the chain took ${waited} ms`);
      });
    }
  }

  it('is that of the continuations of pieces() @background', async () => {
    for (const options of [undefined, BACKGROUND]) {
      const waited = await timeWhileBusy(() => scheduler.postTask(async () => {
        // Each piece lasts longer than the turn that an overdue entry has.
        for await (const each of pieces([1, 2, 3, 4], options)) busy(each + 1);
      }, { ...BACKGROUND, maxWait: 10 }));
      assert.ok(waited >= 20, `the chain took ${waited} ms`);
    }
  });

  it('is not that of tasks that the task posts, nor of its timers @background', async () => {
    let hasRun = false;
    let other;
    await timeWhileBusy(() => scheduler.postTask(() => {
      other = [scheduler.postTask(() => (hasRun = true), BACKGROUND)];
      setTimeout(() => {
        other.push(scheduler.yield(BACKGROUND).then(() => (hasRun = true)));
      });
    }, { ...BACKGROUND, maxWait: 5 }));
    assert.equal(await happensWhileBusy(() => hasRun), false);
    await Promise.all(other);
  });

  for (const [before, behind] of [['user-visible', 'background'], ['background', 'user-visible']]) {
    it(`is kept when a priority changes from ${before} to ${behind}`, async () => {
      const controller = new TaskController({ priority: before });
      const { signal } = controller;
      const order = [];
      await new Promise(setImmediate);
      const overdue = scheduler.postTask(() => order.push('overdue'), { signal, maxWait: 20 });
      const first = scheduler.yield().then(() => order.push('continuation'));
      busy(15);
      controller.setPriority(behind);
      busy(10);
      await Promise.all([overdue, first]);
      assert.deepEqual(order, ['overdue', 'continuation']);
    });
  }

  for (const [title, last, maxWait] of [
    ['counts in place of a shorter setting', {}, LONG],
    ['that is endless counts in place of a shorter setting', {}, Infinity],
    ['is none by default, nor once the setting is taken back', NO_BOUNDS, undefined],
  ]) {
    it(`${title} @background`, async () => {
      configure({ maxWait: { background: 1 } });
      configure({ maxWait: last });
      let hasRun = false;
      const patient = scheduler.postTask(() => (hasRun = true), { ...BACKGROUND, maxWait });
      assert.equal(await happensWhileBusy(() => hasRun), false);
      await patient;
    });
  }

  it('lets a user-blocking task run as soon as the callback has ended', async () => {
    const order = [];
    await new Promise((resolve) => {
      setImmediate(() => {
        const blocking = { priority: 'user-blocking', maxWait: 5 };
        scheduler.postTask(() => order.push('user-blocking'), blocking);
      });
      setImmediate(() => resolve(order.push('immediate')));
    });
    assert.deepEqual(order, ['user-blocking', 'immediate']);
  });
});

describe('configure', () => {
  afterEach(() => configure({ maxWait: NO_BOUNDS }));

  for (const priority of ['user-visible', 'background']) {
    it(`bounds the wait of ${priority} tasks beside a chain of continuations`, async () => {
      configure({ maxWait: { [priority]: 20 } });
      // A setting that is not given stays.
      configure({ maxWait: {} });
      let isOver = false;
      const task = scheduler.postTask(() => (isOver = true), { priority });
      const end = performance.now() + MOST_BUSY;
      while (!isOver && performance.now() < end) {
        busy(0.2);
        await scheduler.yield();
      }
      assert.ok(isOver, 'the task was not started beside the chain');
      await task;
    });
  }

  it('takes all that configuration() returns, keeps what is not given, and changes no mode', () => {
    const settings = configuration();
    configure(settings);
    for (const nothing of [undefined, null, {}, { timeSlice: undefined }]) configure(nothing);
    assert.throws(() => configure({ timeSlice: 9, maxWait: { background: 0 } }), TypeError);
    assert.deepEqual(configuration(), settings);
    assert.throws(() => configure({ timeSlice: 9, mode: 'off' }), {
      code: 'ERR_INVALID_ARG_VALUE', message: new RegExp(`mode must be .*'${settings.mode}'`),
    });
    assert.deepEqual(configuration(), settings);
  });
});
