'use strict';

// onIdle(): what it waits for, what it does not wait for, and that it does not hold the process.
// loop/exit.test.js tests that it is fulfilled before that ends. drain.test.js has random programs
// with tasks of all kinds, and one that asks.

const assert = require('node:assert/strict');
const { setImmediate: turn, setTimeout: sleep } = require('node:timers/promises');
const { cancelIdleCallback, onIdle, requestIdleCallback, scheduler } = require('../..');
const { output, settled } = require('../helpers/tasks.js');

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
    it(`waits until a task has settled that returned ${name}, also if aborted then`, async () => {
      for (const [hasSignal, isAborted] of [[false, false], [true, false], [true, true]]) {
        const controller = new AbortController();
        let open;
        const gate = new Promise((resolve) => (open = resolve));
        const options = hasSignal ? { signal: controller.signal } : {};
        const task = scheduler.postTask(() => make(gate), options);
        await scheduler.postTask(() => {}, { priority: 'background' });
        // Its callback has returned.
        if (isAborted) controller.abort();
        const { log, idle } = logOf(['task', task]);
        await turn();
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
    let idle;
    await settled(scheduler.postTask(() => {
      controller.abort();
      idle = isFulfilledAtOnce(onIdle());
    }, { signal: controller.signal }));
    assert.equal(await idle, true);
  });

  it('does not wait for what has `ref: false`, nor for idle callbacks', async () => {
    const controller = new AbortController();
    const options = { ref: false, signal: controller.signal };
    const handle = requestIdleCallback(() => {}, { timeout: 60_000 });
    const aside = [
      scheduler.postTask(() => {}, { ...options, delay: 60_000 }),
      scheduler.wait(60_000, options),
      scheduler.postTask(() => new Promise((resolve) => {
        controller.signal.addEventListener('abort', () => resolve());
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
    let log;
    beforeEach(() => (log = []));
    const ask = (name) => onIdle().then(() => log.push(name));

    it('takes a timer that this task has started for code of its own @async-ids', async () => {
      let idle;
      await scheduler.postTask(async () => {
        setTimeout(() => (idle = ask('idle')), 1);
        await sleep(5);
        log.push('task');
      });
      await idle;
      assert.deepEqual(log, ['task', 'idle']);
    });

    // Posts tasks that ask, each that many milliseconds after it has started, and log their names.
    const posted = (delays) => delays.map((delay, name) => scheduler.postTask(async () => {
      if (delay > 0) await sleep(delay);
      await ask(name);
    }));

    it('does not let tasks that ask wait for each other, at once or after an await', async () => {
      // From the first question on it is known which task asks behind an await.
      await onIdle();
      for (const delays of [[0, 0, 0], [1, 10, 20]]) {
        log = [];
        await Promise.all([...posted(delays), ask('outside')]);
        assert.deepEqual(log, [0, 1, 2, 'outside']);
      }
    });

    it('waits for a task that has stopped asking', async () => {
      const controller = new AbortController();
      const other = scheduler.postTask(async () => {
        await assert.rejects(onIdle({ signal: controller.signal }));
        await turn();
        log.push('other');
      });
      const asking = scheduler.postTask(async () => {
        const idle = ask('idle');
        controller.abort();
        await idle;
      });
      await Promise.all([other, asking]);
      assert.deepEqual(log, ['other', 'idle']);
    });

    it('waits for tasks that ask if this one has ended', async () => {
      await onIdle();
      const tasks = posted([10, 10]);
      let idle;
      await scheduler.postTask(() => {
        idle = ask('idle');
      });
      await Promise.all([...tasks, idle]);
      assert.deepEqual(log, [0, 1, 'idle']);
    });

    it('waits for all others, also for the one that posted this task', async () => {
      let idle;
      await scheduler.postTask(async () => {
        await scheduler.postTask(async () => {
          idle = ask('idle');
          await Promise.race([idle, turn()]);
          log.push('inner');
        });
        log.push('outer');
      });
      await idle;
      assert.deepEqual(log, ['inner', 'outer', 'idle']);
    });

    it('counts this task for others that ask', async () => {
      const task = scheduler.postTask(async () => {
        await ask('own');
        await turn();
        log.push('finished');
      });
      await Promise.all([task, ask('other')]);
      assert.deepEqual(log, ['own', 'finished', 'other']);
    });
  });

  it('leaves nothing behind if its signal is aborted before, or while it is asked', async () => {
    let reads = 0;
    const reason = new Error('mine');
    const foreign = { reason, addEventListener() {}, get aborted() { return ++reads >= 3; } };
    const running = scheduler.postTask(() => turn());
    for (const signal of [AbortSignal.abort(reason), foreign]) {
      await assert.rejects(onIdle({ signal }), (error) => error === reason);
    }
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
});
