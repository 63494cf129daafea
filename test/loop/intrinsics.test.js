'use strict';

// Fake timers and APM agents replace globals after the package was loaded: the package goes on with
// the originals.

const assert = require('node:assert/strict');
const { output } = require('../helpers/tasks.js');

// Watches a task of 5 ms. The package is loaded before or after everything is faked.
function watchTimes(root, isLoadedFirst) {
  const { subscribe } = require('node:diagnostics_channel');
  const FakeTimers = require('@sinonjs/fake-timers');
  const now = performance.now.bind(performance);
  if (isLoadedFirst) require(root);
  FakeTimers.install({ toFake: Object.keys(FakeTimers.timers) });
  const { monitorTasks, scheduler } = require(root);
  const monitor = monitorTasks();
  monitor.enable();
  const before = now();
  subscribe('tracing:uv-scheduler:task:asyncEnd', ({ postedAt, endedAt }) => {
    const times = [before - 0.1, postedAt, endedAt - 5, now() - 4.9];
    console.log(times.every((time, i) => i === 0 || times[i - 1] <= time) || times);
    const { 'user-visible': spent } = monitor.time;
    console.log(spent >= 5 && spent <= now() - before);
  });
  scheduler.postTask(() => {
    const start = now();
    while (now() - start < 5);
  });
}

// Spends 5 ms of the time of an idle callback.
function measureIdleTime(root, isLoadedFirst) {
  const FakeTimers = require('@sinonjs/fake-timers');
  const now = performance.now.bind(performance);
  if (isLoadedFirst) require(root);
  FakeTimers.install({ toFake: Object.keys(FakeTimers.timers) });
  const { requestIdleCallback } = require(root);
  requestIdleCallback((deadline) => {
    const start = now();
    while (now() - start < 5);
    console.log(deadline.timeRemaining() <= 45);
  });
}

// Aborts a delayed task whose signal has got an event of user code before.
function abortAfterEvent(root, isLoadedFirst) {
  const FakeTimers = require('@sinonjs/fake-timers');
  const { setImmediate } = globalThis;
  if (isLoadedFirst) require(root);
  FakeTimers.install({ toFake: Object.keys(FakeTimers.timers) });
  const { scheduler } = require(root);
  const controller = new AbortController();
  const { signal } = controller;
  scheduler.postTask(() => {}, { signal, delay: 60_000 }).catch(console.log);
  signal.dispatchEvent(new Event('abort'));
  setImmediate(() => controller.abort('aborted'));
}

describe('with everything faked that @sinonjs/fake-timers can fake,', () => {
  it('tasks keep their order relative to real timers and immediates', async () => {
    const lines = await output((root) => {
      const { configure, scheduler } = require(root);
      configure({ timeSlice: 10_000 });
      const FakeTimers = require('@sinonjs/fake-timers');
      const { setImmediate, setTimeout } = globalThis;
      FakeTimers.install({ toFake: Object.keys(FakeTimers.timers) });
      const log = (name) => () => console.log(name);
      setImmediate(() => {
        setTimeout(log('timer'), 0);
        setImmediate(log('immediate'));
        scheduler.postTask(log('background'), { priority: 'background' });
        scheduler.postTask(async () => {
          console.log('blocking');
          await scheduler.yield();
          console.log('continuation');
        }, { priority: 'user-blocking' });
        for (let index = 0; index < 1e7; index++);
      });
    });
    // The next turn's immediate and a timer that is due then run in the loop's own order.
    const behind = lines.slice(2, -1).sort();
    const expected = ['blocking', 'continuation', 'immediate', 'timer', 'background'];
    assert.deepEqual([...lines.slice(0, 2), ...behind, lines.at(-1)], expected);
  });

  it('delays follow the real clock, not the faked one', async () => {
    const lines = await output((root) => {
      const { scheduler } = require(root);
      const FakeTimers = require('@sinonjs/fake-timers');
      const now = performance.now.bind(performance);
      const clock = FakeTimers.install({ toFake: Object.keys(FakeTimers.timers) });
      const start = now();
      let ran = false;
      scheduler.postTask(() => {
        ran = true;
        console.log('delayed', now() - start >= 30);
      }, { delay: 30 });
      clock.tick(60_000);
      console.log('ran by the faked clock', ran);
    });
    assert.deepEqual(lines, ['ran by the faked clock false', 'delayed true']);
  });
});

describe('loaded after everything was faked that @sinonjs/fake-timers can fake,', () => {
  it('the package keeps the order relative to real timers and immediates', async () => {
    const lines = await output((root) => {
      const FakeTimers = require('@sinonjs/fake-timers');
      const { setImmediate, setTimeout } = globalThis;
      const clock = FakeTimers.install({ toFake: Object.keys(FakeTimers.timers) });
      const { configure, scheduler } = require(root);
      configure({ timeSlice: 10_000 });
      const log = (name) => () => console.log(name);
      setImmediate(() => {
        setTimeout(log('timer'), 0);
        scheduler.postTask(log('background'), { priority: 'background' });
        scheduler.postTask(async () => {
          console.log('blocking');
          await scheduler.yield();
          console.log('continuation');
        }, { priority: 'user-blocking' });
        for (let index = 0; index < 1e7; index++);
        // The tasks do not wait in the queues of the clock either.
        setImmediate(() => clock.runAll());
      });
    });
    assert.deepEqual(lines, ['blocking', 'continuation', 'timer', 'background']);
  });
});

const FAKED = 'everything was faked that @sinonjs/fake-timers can fake,';

for (const [when, isLoadedFirst] of [['before', true], ['after', false]]) {
  describe(`loaded ${when} ${FAKED}`, () => {
    const linesOf = (program) => output(`(root) => (${program})(root, ${isLoadedFirst})`);

    it('the package measures the time of an idle callback with the real clock', async () => {
      assert.deepEqual(await linesOf(measureIdleTime), ['true']);
    });

    it('the package measures the times of watched tasks with the real clock', async () => {
      assert.deepEqual(await linesOf(watchTimes), ['true', 'true']);
    });

    it('the package aborts a task after a dispatched abort event', async () => {
      assert.deepEqual(await linesOf(abortAfterEvent), ['aborted']);
    });
  });
}

describe('with a replaced', () => {
  it('Promise, callers still get promises of the original one', async () => {
    const lines = await output((root) => {
      const { TaskController, scheduler } = require(root);
      const Original = Promise;
      globalThis.Promise = class extends Original {
        constructor() {
          super(() => {});
        }

        static resolve() {
          throw new Error('resolve');
        }

        static reject() {
          throw new Error('reject');
        }
      };
      const { signal } = new TaskController({ priority: 'background' });
      const aborted = AbortSignal.abort();
      const promises = [
        scheduler.postTask(() => ({ then: (resolve) => resolve() }), { signal }),
        scheduler.postTask(() => Original.resolve(), { priority: 'user-blocking' }),
        scheduler.postTask(),
        scheduler.postTask(() => {}, { signal: aborted }),
        scheduler.yield(),
        scheduler.yield({ signal: aborted }),
        scheduler.yield(1),
      ];
      for (const promise of promises) {
        promise.then(() => console.log('fulfilled'), () => console.log('rejected'));
        if (promise.constructor !== Original) console.log('another promise');
      }
    });
    assert.deepEqual(lines.sort(), [...Array(3).fill('fulfilled'), ...Array(4).fill('rejected')]);
  });

  const REPLACEMENTS = {
    'Promise[Symbol.species] that throws': () => {
      Object.defineProperty(Promise, Symbol.species, {
        get() {
          throw new Error('species');
        },
      });
    },
    'Promise.prototype.constructor that throws': () => {
      Object.defineProperty(Promise.prototype, 'constructor', {
        get() {
          throw new Error('constructor');
        },
      });
    },
    'Promise.prototype.then that throws': () => {
      Promise.prototype.then = () => {
        throw new Error('then');
      };
    },
    'process.nextTick and queueMicrotask that throw': () => {
      process.nextTick = globalThis.queueMicrotask = () => {
        throw new Error('queue');
      };
    },
  };
  for (const [name, replace] of Object.entries(REPLACEMENTS)) {
    it(`${name}, user-blocking tasks still come before timers`, async () => {
      const main = (root, replacing) => {
        const { configure, scheduler } = require(root);
        configure({ timeSlice: 10_000 });
        const { setImmediate } = globalThis;
        setImmediate(() => {
          const log = (text) => require('node:fs').writeSync(1, `${text}\n`);
          replacing();
          setTimeout(() => log('timer'), 0);
          for (let each = 0; each < 3; each++) {
            scheduler.postTask(() => log('blocking'), { priority: 'user-blocking' });
          }
          for (let index = 0; index < 1e7; index++);
        });
      };
      const lines = await output(`(root) => (${main})(root, ${replace})`);
      assert.deepEqual(lines, ['blocking', 'blocking', 'blocking', 'timer']);
    });
  }
});
