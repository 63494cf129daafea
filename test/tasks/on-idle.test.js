'use strict';

// onIdle(): what it waits for, what it does not wait for, and that it does not hold the process.
// drain.test.js has random programs with tasks of all kinds, and one that asks.

const assert = require('node:assert/strict');
const { setTimeout: sleep } = require('node:timers/promises');
const { cancelIdleCallback, onIdle, requestIdleCallback, scheduler } = require('../..');
const { output, settled, startedTask } = require('../helpers/tasks.js');
const { assertOnEachNode, run } = require('../helpers/loop.js');

// Whether a promise is fulfilled without the loop having to turn.
async function isFulfilledAtOnce(promise) {
  let isFulfilled = false;
  promise.then(() => (isFulfilled = true));
  await null;
  await null;
  return isFulfilled;
}

// Logs the names of what ends, and 'idle', in order.
function logOf(...entries) {
  const log = [];
  for (const [name, promise] of entries) promise.then(() => log.push(name), () => log.push(name));
  return { log, idle: onIdle().then(() => log.push('idle')) };
}

describe('onIdle()', () => {
  beforeEach(() => onIdle());

  it('is fulfilled at once with undefined if no task waits or runs', async () => {
    assert.equal(await onIdle(), undefined);
    assert.equal(await isFulfilledAtOnce(onIdle()), true);
    for (const options of [undefined, null, {}, { signal: undefined }]) await onIdle(options);
  });

  // Results of tasks that settle when `gate` does.
  const results = {
    'a promise': (gate) => gate,
    'a promise that is rejected': (gate) => gate.then(() => Promise.reject(new Error('failed'))),
    'a thenable': (gate) => ({ then: (resolve) => gate.then(resolve) }),
    'a promise of another class': (gate) => new (class extends Promise {})((r) => gate.then(r)),
    'a promise with a `then` of its own': (gate) => Object.assign(Promise.resolve(), {
      then: (resolve) => gate.then(resolve),
    }),
    'a proxy of a thenable': (gate) => new Proxy({ then: (resolve) => gate.then(resolve) }, {}),
  };
  for (const [name, make] of Object.entries(results)) {
    it(`waits until a task has settled that returned ${name}`, async () => {
      for (const options of [{}, { signal: new AbortController().signal }]) {
        let open;
        const gate = new Promise((resolve) => (open = resolve));
        const task = scheduler.postTask(() => make(gate), options);
        await scheduler.postTask(() => {}, { priority: 'background' });
        const { log, idle } = logOf(['task', task]);
        await sleep(5);
        assert.deepEqual(log, []);
        open();
        await idle;
        assert.deepEqual(log, ['task', 'idle']);
      }
    });
  }

  it('waits for what follows each of several continuations in one callback', async () => {
    const log = [];
    const goOn = async () => {
      for (const name of 'abc') {
        await scheduler.yield();
        log.push(name);
      }
    };
    goOn();
    await onIdle();
    assert.deepEqual(log, ['a', 'b', 'c']);
  });

  it('does not wait for a task that was aborted from inside', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    let idle;
    const task = settled(scheduler.postTask(() => {
      controller.abort();
      idle = isFulfilledAtOnce(onIdle());
    }, { signal }));
    await task;
    assert.equal(await idle, true);
  });

  it('waits for a running task whose signal is aborted later', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const { task, finish } = await startedTask({ signal });
    // Its callback has returned when others run.
    await scheduler.postTask(() => {}, { priority: 'background' });
    controller.abort();
    const { log, idle } = logOf(['task', task]);
    await sleep(5);
    finish();
    await idle;
    assert.deepEqual(log, ['task', 'idle']);
  });

  it('does not wait for what has `ref: false`, nor for idle callbacks', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const options = { ref: false, signal };
    const handle = requestIdleCallback(() => {}, { timeout: 60_000 });
    const aside = [
      scheduler.postTask(() => {}, { ...options, delay: 60_000 }),
      scheduler.wait(60_000, options),
      scheduler.postTask(() => new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve());
      }), { ref: false, priority: 'user-blocking' }),
    ].map(settled);
    await scheduler.postTask(() => {});
    await onIdle();
    assert.equal(await isFulfilledAtOnce(onIdle()), true);
    cancelIdleCallback(handle);
    controller.abort();
    await Promise.all(aside);
  });

  describe('in a task', () => {
    it('takes a timer that this task has started for code of its own @async-ids', async () => {
      const log = [];
      await scheduler.postTask(async () => {
        let idle;
        await new Promise((resolve) => setTimeout(() => {
          idle = onIdle().then(() => log.push('idle'));
          resolve();
        }, 1));
        await sleep(5);
        log.push('task');
        return [idle];
      }).then(([idle]) => idle);
      assert.deepEqual(log, ['task', 'idle']);
    });

    // Posts tasks that ask, each that many milliseconds after it has started, and log their names.
    const posted = (log, delays) => delays.map((delay, name) => scheduler.postTask(async () => {
      if (delay > 0) await sleep(delay);
      await onIdle();
      log.push(name);
    }));

    it('does not let tasks that ask wait for each other, at once or after an await', async () => {
      // From the first question on it is known which task asks behind an await.
      await onIdle();
      for (const delays of [[0, 0, 0], [1, 10, 20]]) {
        const log = [];
        const tasks = posted(log, delays);
        await onIdle();
        log.push('outside');
        await Promise.all(tasks);
        assert.deepEqual(log, [0, 1, 2, 'outside']);
      }
    });

    it('waits for a task that has stopped asking', async () => {
      const controller = new AbortController();
      const log = [];
      const other = scheduler.postTask(async () => {
        await assert.rejects(onIdle({ signal: controller.signal }));
        await sleep(30);
        log.push('other');
      });
      const asking = scheduler.postTask(async () => {
        const idle = onIdle();
        controller.abort();
        await idle;
        log.push('idle');
      });
      await Promise.all([other, asking]);
      assert.deepEqual(log, ['other', 'idle']);
    });

    it('waits for tasks that ask if this one has ended', async () => {
      await onIdle();
      const log = [];
      const tasks = posted(log, [10, 10]);
      let idle;
      await scheduler.postTask(() => {
        idle = onIdle().then(() => log.push('idle'));
      });
      await Promise.all([...tasks, idle]);
      assert.deepEqual(log, [0, 1, 'idle']);
    });

    it('waits for all others, also for the one that posted this task', async () => {
      const log = [];
      let idle;
      await scheduler.postTask(async () => {
        const inner = scheduler.postTask(async () => {
          idle = onIdle().then(() => log.push('idle'));
          await Promise.race([idle, sleep(50)]);
          log.push('inner');
        });
        await inner;
        log.push('outer');
      });
      await idle;
      assert.deepEqual(log, ['inner', 'outer', 'idle']);
    });

    it('counts this task for others that ask', async () => {
      const log = [];
      const task = scheduler.postTask(async () => {
        await onIdle();
        log.push('own');
        await sleep(20);
        log.push('finished');
      });
      const other = onIdle().then(() => log.push('other'));
      await Promise.all([task, other]);
      assert.deepEqual(log, ['own', 'finished', 'other']);
    });
  });

  it('is rejected with the reason of its signal, before and later', async () => {
    const reason = { why: 'enough' };
    await assert.rejects(onIdle({ signal: AbortSignal.abort(reason) }), (e) => e === reason);
    const { task, finish } = await startedTask();
    const controller = new AbortController();
    const asked = settled(onIdle({ signal: controller.signal }));
    controller.abort(reason);
    assert.deepEqual(await asked, ['rejected', reason]);
    finish();
    await task;
  });

  it('leaves nothing behind if a foreign signal is aborted while it is asked', async () => {
    let reads = 0;
    const reason = new Error('mine');
    const signal = { reason, addEventListener() {}, get aborted() { return ++reads >= 3; } };
    const running = scheduler.postTask(() => sleep(5));
    await assert.rejects(onIdle({ signal }), reason);
    await running;
  });

  it('costs no more for many waiters', async () => {
    const posted = Array.from({ length: 20_000 }, () => scheduler.postTask(() => {}));
    await Promise.all([...posted, ...Array.from({ length: 5000 }, () => onIdle())]);
  });

  it('does not hold the process', async () => {
    const lines = await output((root) => {
      const { onIdle, scheduler } = require(root);
      scheduler.postTask(() => new Promise(() => {}));
      onIdle().then(() => console.log('never'));
      process.on('exit', (code) => console.log('exit', code));
    });
    assert.deepEqual(lines, ['exit 0']);
  });

  it('is fulfilled before the end, whatever the last task awaited @package-by-name', async () => {
    const program = `
      const { onIdle, scheduler } = require('uv');
      const { setTimeout: sleep } = require('node:timers/promises');
      const waits = {
        nothing: () => {},
        timer: () => sleep(1),
        immediate: () => new Promise(setImmediate),
        io: () => require('node:fs').promises.stat('.'),
        tick: () => new Promise(process.nextTick),
      };
      (async () => {
        for (const [name, wait] of Object.entries(waits)) {
          for (const priority of ['user-blocking', 'user-visible', 'background']) {
            scheduler.postTask(wait, { priority });
            await onIdle();
            console.log(name, priority);
          }
        }
      })();`.replace("'uv'", JSON.stringify(require.resolve('../..')));
    await assertOnEachNode({ code: 0, count: 15 }, async (node) => {
      const { code, stdout } = await run(node, ['-e', program]);
      return { code, count: stdout.trim().split('\n').length };
    });
  });
});
