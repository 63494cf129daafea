'use strict';

// The option `maxWait` of postTask(), the bound that one task has on its own wait, and the settings
// of configure(), on the clock of a test. loop/event-loop.test.js tests the time slice.

const assert = require('node:assert/strict');
const { TaskController, configuration, configure, pieces, scheduler } = require('../..');
const { createTestScheduler } = require('uv-scheduler/testing');

const NO_BOUNDS = { 'user-visible': Infinity, 'background': Infinity };
const BACKGROUND = { priority: 'background' };

describe('maxWait of a task', () => {
  let test;
  beforeEach(() => (test = createTestScheduler()));
  afterEach(() => {
    configure({ maxWait: NO_BOUNDS });
    test.stop();
  });

  // The time at which something comes beside a chain of continuations of 1 ms each; undefined if it
  // does not come within a second. An entry that waits there for longer than its bound starts 1 ms
  // later than it.
  async function timeBesideChain(begin) {
    let time;
    scheduler.postTask(async () => {
      while (time === undefined && test.now < 1000) {
        test.spend(1);
        await scheduler.yield();
      }
    });
    Promise.resolve(begin()).then(() => {
      if (test.now < 1000) time = test.now;
    });
    await test.runAll();
    return time;
  }

  for (const [which, options, time = 20] of [
    ['without a signal', {}],
    ['with a signal that can abort it', { signal: new AbortController().signal }],
    ['that follows a signal',
      { signal: new TaskController(BACKGROUND).signal, priority: undefined }],
    ['behind its delay', { delay: 20 }, 40],
  ]) {
    it(`bounds the wait of a task ${which}`, async () => {
      const found = await timeBesideChain(() =>
        scheduler.postTask(() => {}, { ...BACKGROUND, ...options, maxWait: 19 }));
      assert.equal(found, time);
    });
  }

  for (const [name, goOn, time = 40] of [
    ['yield()', () => scheduler.yield()],
    ['yield() with a priority', () => scheduler.yield(BACKGROUND)],
    ["yield({ signal: 'inherit' })", () => scheduler.yield({ signal: 'inherit' })],
    ['wait()', () => scheduler.wait(1), 43],
    ['yield() after an await', async () => {
      await null;
      await scheduler.yield();
    }],
  ]) {
    for (const [which, more] of [
      ['', {}],
      [' with a signal', { signal: new TaskController(BACKGROUND).signal, priority: undefined }],
      [' with a key', { fairnessKey: 'own' }],
    ]) {
      it(`is that of each continuation by ${name} of a task${which}`, async () => {
        const found = await timeBesideChain(() => scheduler.postTask(async () => {
          for (let i = 0; i < 3; i++) await goOn();
        }, { ...BACKGROUND, ...more, maxWait: 9 }));
        assert.equal(found, time);
      });
    }
  }

  it('is that of the continuations of pieces()', async () => {
    for (const options of [undefined, BACKGROUND]) {
      const begun = test.now;
      const found = await timeBesideChain(() => scheduler.postTask(async () => {
        for await (const each of pieces([5, 5, 5], options)) test.spend(each);
      }, { ...BACKGROUND, maxWait: 9 }));
      assert.equal(found - begun, 55);
    }
  });

  it('is not that of tasks that the task posts, nor of its callbacks', async () => {
    const found = await timeBesideChain(() => new Promise((resolve) => {
      scheduler.postTask(() => {
        scheduler.postTask(resolve, BACKGROUND);
        setImmediate(() => scheduler.yield(BACKGROUND).then(resolve));
      }, { ...BACKGROUND, maxWait: 5 });
    }));
    assert.equal(found, undefined);
  });

  it('is kept when the priority of the task changes', async () => {
    for (const priority of ['user-visible', 'background']) {
      const controller = new TaskController({ priority });
      const { signal } = controller;
      const begun = test.now;
      const found = await timeBesideChain(() => {
        const other = priority === 'background' ? 'user-visible' : 'background';
        const change = () => controller.setPriority(other);
        scheduler.postTask(change, { delay: 15, priority: 'user-blocking' });
        return scheduler.postTask(() => {}, { signal, maxWait: 19 });
      });
      assert.equal(found - begun, 20);
    }
  });

  for (const [title, last, maxWait, expected] of [
    ['counts in place of a shorter setting', {}, 899, 900],
    ['that is endless counts in place of a shorter setting', {}, Infinity],
    ['is none by default, nor once the setting is taken back', NO_BOUNDS],
    ['is the setting if the task has none', {}, undefined, 2],
  ]) {
    it(title, async () => {
      configure({ maxWait: { background: 1 } });
      configure({ maxWait: last });
      const found = await timeBesideChain(() =>
        scheduler.postTask(() => {}, { ...BACKGROUND, maxWait }));
      assert.equal(found, expected);
    });
  }

  it('may be the setting of user-visible tasks, too, which stays until it is set', async () => {
    configure({ maxWait: { 'user-visible': 19 } });
    configure({ maxWait: {} });
    assert.equal(await timeBesideChain(() => scheduler.postTask(() => {})), 20);
  });
});

describe('maxWait of a task, on the loop of the host,', () => {
  it('bounds a wait where others always can run, and does not shorten it @background', async () => {
    const started = performance.now();
    let hasRun = false;
    const task = scheduler.postTask(() => (hasRun = true), { ...BACKGROUND, maxWait: 20 });
    while (!hasRun) await new Promise(setImmediate);
    await task;
    assert.ok(performance.now() - started >= 20);
  });

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
