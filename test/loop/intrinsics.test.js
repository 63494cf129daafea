'use strict';

// Fake timers and APM agents replace globals before or after the package was loaded: the package
// goes on with the originals. ecosystem/runners.test.js has order, delays and signals under fakes.
// @host each-node

const assert = require('node:assert/strict');
const { output } = require('../helpers/tasks.js');

// Watches a task of 5 ms. The package is loaded before or after everything is faked.
function watchTimes(root, isLoadedFirst) {
  const { subscribe } = require('node:diagnostics_channel');
  const FakeTimers = require('@sinonjs/fake-timers');
  const now = performance.now.bind(performance);
  if (isLoadedFirst) require(root);
  FakeTimers.install({ toFake: Object.keys(FakeTimers.timers) });
  const { scheduler } = require(root);
  const { monitorTasks } = require(`${root}/dist/watch.js`);
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

describe('with everything faked that @sinonjs/fake-timers can fake,', () => {
  for (const [when, isLoadedFirst] of [['before', true], ['behind', false]]) {
    it(`the real clock measures the times of watched tasks: loaded ${when} it`, async () => {
      const lines = await output(`(root) => (${watchTimes})(root, ${isLoadedFirst})`);
      assert.deepEqual(lines, ['true', 'true']);
    });
  }
});

describe('with a replaced', () => {
  it('Promise, callers still get promises of the original one', async () => {
    const lines = await output((root) => {
      const { TaskController, scheduler } = require(root);
      const Original = Promise;
      const fail = () => { throw new Error('replaced'); };
      globalThis.Promise = class extends Original {
        static resolve = fail;
        static reject = fail;

        constructor() {
          super(() => {});
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

  // Code by what it replaces.
  const REPLACEMENTS = {
    'Promise[Symbol.species]': 'Object.defineProperty(Promise, Symbol.species, { get: fail })',
    'Promise.prototype.constructor':
      "Object.defineProperty(Promise.prototype, 'constructor', { get: fail })",
    'Promise.prototype.then': 'Promise.prototype.then = fail',
    'process.nextTick and queueMicrotask': 'process.nextTick = globalThis.queueMicrotask = fail',
  };
  for (const [name, replace] of Object.entries(REPLACEMENTS)) {
    it(`${name} that fails, user-blocking tasks still come before timers`, async () => {
      const main = (root, replacing) => {
        const { configure, scheduler } = require(root);
        configure({ timeSlice: 10_000 });
        const { setImmediate } = globalThis;
        setImmediate(() => {
          const log = (text) => require('node:fs').writeSync(1, `${text}\n`);
          replacing(() => { throw new Error('replaced'); });
          setTimeout(() => log('timer'), 0);
          for (let each = 0; each < 3; each++) {
            scheduler.postTask(() => log('blocking'), { priority: 'user-blocking' });
          }
          for (let index = 0; index < 1e7; index++);
        });
      };
      const lines = await output(`(root) => (${main})(root, (fail) => { ${replace}; })`);
      assert.deepEqual(lines, ['blocking', 'blocking', 'blocking', 'timer']);
    });
  }
});
